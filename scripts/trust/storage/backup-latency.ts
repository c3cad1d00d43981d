// A large hub is backed up while it serves, and response times do not suffer.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import { register, restClient } from '../../../test/support/http/rest-client.ts';
import { type Hub, run } from '../hub.ts';
import type { Row, Trial } from '../row.ts';
import { flawIn } from './integrity.ts';

const MOST_MS = 50;
const TASKS_PER_MEGABYTE = 750;
const PAUSE_MS = 5;
const BEFORE_MS = 3_000;
const BUSY_MS = 10;

export const backupLatency: Row = {
  name: 'backup-latency',
  promise: 'a backup delays no one',
  test: (megabytes) => `/health requested every ${PAUSE_MS} ms while a hub of about ${megabytes} MB is backed up`,
  target: `p99 below ${MOST_MS} ms, backup intact`,
  amounts: { least: 10, quick: 60, long: 200 },
  isAlone: true,
  run: async (trial) => {
    const data = await fill(trial);
    const hub = await trial.start({ data });
    const file = join(trial.directory(), 'backup.db');
    const started = performance.now();
    const before = await requestUntil(hub, () => performance.now() - started > BEFORE_MS);
    if (p99(before) > BUSY_MS)
      return { skipped: `the machine is too busy to measure: p99 was ${p99(before).toFixed(1)} ms before the backup` };
    const backup = run(trial.command, ['backup', file, '--data', data]);
    let isOver = false;
    const ended = backup.ended.then((ending) => {
      isOver = true;
      return ending;
    });
    const times = await requestUntil(hub, () => isOver);
    const { code } = await ended;
    await hub.kill('SIGTERM');
    const damage = code === 0 ? await flawIn(file) : backup.stderr().trim();
    return {
      figure: `p99 ${p99(times).toFixed(1)} ms of ${times.length} responses, ${p99(before).toFixed(1)} ms before`,
      complaints: [
        ...(p99(times) < MOST_MS ? [] : [`p99 was ${p99(times).toFixed(1)} ms`]),
        ...(damage === undefined ? [] : [damage]),
      ],
    };
  },
};

function p99(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;
}

/** Inserts tasks directly into the database, because sending them would take longer than the trial. */
async function fill(trial: Trial): Promise<string> {
  const hub = await trial.start();
  const { networkId } = await register(hub.url);
  await hub.kill('SIGTERM');
  const database = new DatabaseSync(join(hub.data, 'agenthub.db'));
  const settle = database.prepare(
    `WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < ?2)
     INSERT INTO tasks (task_id, network_seq, from_name, to_name, priority, status, content, result, ttl_seconds, created_at, delivered_at, started_at, completed_at, expires_at)
     SELECT 'task_' || i, (SELECT network_seq FROM networks WHERE network_id = ?1), 'boss', 'worker-' || (i % 200), 'normal', 'replied', i || hex(randomblob(250)), i || hex(randomblob(250)), 3600, ?3, ?3, ?3, ?3, ?3 FROM number`,
  );
  const tasks = trial.amount * TASKS_PER_MEGABYTE;
  settle.run(networkId, tasks, Date.now());
  database
    .prepare("INSERT INTO task_counts SELECT network_seq, 'replied', ?2 FROM networks WHERE network_id = ?1")
    .run(networkId, tasks);
  database.close();
  return hub.data;
}

async function requestUntil({ url }: Hub, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver()) {
    const startedAt = performance.now();
    await restClient(url).get('/health');
    times.push(performance.now() - startedAt);
    await after(PAUSE_MS);
  }
  return times;
}
