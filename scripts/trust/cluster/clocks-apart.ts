// The clocks of three hubs on one PostgreSQL server are set to different hours while they run.
import { setTimeout as after } from 'node:timers/promises';
import { mcpClient } from '../../../test/support/http/mcp-client.ts';
import { restClient } from '../../../test/support/http/rest-client.ts';
import { listOf, textOf } from '../../../test/support/json.ts';
import { listTasks } from '../../../test/support/store/ledger-audit.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import { openShiftedHub, type ShiftedHub } from '../clock/shifted-clock.ts';
import { complaint, expectSame, type Trial } from '../row.ts';
import { type Cluster, openCluster, SIZE } from './cluster.ts';
import { rowOf } from './loss.ts';

const HOUR_SECONDS = 3_600;
const HOURS = [-1, 0, 1] as const;
/** What the clock of a hub may take to be noticed, and a busy machine adds. An agent is offline after a minute. */
const CLOSE_MS = 20_000;
/** Long enough for a sweep at the time of a wrong clock. */
const SWEPT_MS = 2_000;

type Apart = Cluster & { clocks: ShiftedHub[]; startedAt: number };

export const clocksApart = rowOf<Apart>({
  name: 'clocks-apart',
  promise: 'the clocks of the hubs may differ: all use the time of the database',
  what: 'the clock of one of three hubs set an hour ahead, an hour back or right again',
  open: openApart,
  mostMs: 1_500,
  disturb: async ({ clocks }, draws) => {
    clocks[Math.floor(draws.below(SIZE))]?.moveTo(draws.oneOf(HOURS) * HOUR_SECONDS);
    return undefined;
  },
  check: async (cluster) => {
    for (const [place, { moveTo }] of cluster.clocks.entries()) moveTo((HOURS[place] ?? 0) * HOUR_SECONDS);
    return [...(await farStamps(cluster)), ...(await absentAgents(cluster))];
  },
});

async function openApart(trial: Trial, server: PostgresServer): Promise<Apart | undefined> {
  const clocks = Array.from({ length: SIZE }, () => openShiftedHub(trial)).filter((clock) => clock !== undefined);
  if (clocks.length < SIZE) return undefined;
  const startedAt = Date.now();
  const cluster = await openCluster(trial, server, { commandOf: (place) => clocks[place]?.command ?? trial.command });
  return { ...cluster, clocks, startedAt };
}

/** The server has the true time, and so has this program. */
async function farStamps({ hubs, token, startedAt }: Apart): Promise<string[]> {
  const [start, end] = [startedAt - CLOSE_MS, Date.now() + CLOSE_MS];
  const tasks = await listTasks(restClient(hubs[0]?.url ?? '', token), '');
  const far = tasks
    .map((task) => textOf(task, 'created_at'))
    .filter((stamp) => {
      const moment = Date.parse(`${stamp}Z`);
      return !(moment >= start && moment <= end);
    });
  return complaint('tasks created at a wrong time', far);
}

/** An agent reports at each hub, and all hubs see all of them. */
async function absentAgents({ hubs, token }: Apart): Promise<string[]> {
  for (const { url, port } of hubs)
    await mcpClient(url, token).call('report_status', { resume_id: `${port}`, alias: `agent-${port}`, status: 'idle' });
  await after(SWEPT_MS);
  const wrong: string[] = [];
  for (const [place, { url }] of hubs.entries()) {
    const sessions = listOf((await restClient(url, token).get('/api/status')).body, 'sessions');
    const idle = sessions.filter(({ status }) => status === 'idle');
    wrong.push(...expectSame(`idle agents that hub ${place} lists`, idle.length, SIZE));
  }
  return wrong;
}
