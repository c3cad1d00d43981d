// The network between one of three hubs and their PostgreSQL server is cut.
import { setTimeout as after } from 'node:timers/promises';
import { restClient } from '../../../test/support/http/rest-client.ts';
import { type Line, openLine } from '../../support/network-line.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import type { Trial } from '../row.ts';
import { type Cluster, openCluster, SIZE } from './cluster.ts';
import { QUIET_MS, rowOf } from './loss.ts';

/** Nobody waits longer for a hub that is cut off from its database. */
const MOST_CUT_OFF_MS = 10_000;

export const networkSplit = rowOf({
  name: 'network-split',
  promise: 'a hub that is cut off from the database refuses its sends, and the others are not affected',
  what: `the network between one of three hubs and the server cut until a send at that hub is refused, at most ${MOST_CUT_OFF_MS / 1_000} s`,
  open: openOnLines,
  mostMs: 1_500,
  disturb: async ({ hubs, lines, token }, draws) => {
    const place = Math.floor(draws.below(hubs.length));
    lines[place]?.cut();
    // After the sends whose commit the server may have seen, which wait until it says so.
    await after(QUIET_MS);
    const refused = restClient(hubs[place]?.url ?? '', token).post('/api/tasks', { alias: 'cut-off', task: 'refused' });
    const answer = await Promise.race([refused, after(MOST_CUT_OFF_MS)]);
    lines[place]?.repair();
    if (answer?.status !== 503) throw new Error(`a send at the hub that is cut off: ${answer?.status ?? 'no answer'}`);
    return place;
  },
});

async function openOnLines(trial: Trial, server: PostgresServer): Promise<Cluster & { lines: Line[] }> {
  const lines: Line[] = [];
  while (lines.length < SIZE) lines.push(await openLine(server.url));
  for (const { close } of lines) trial.atEnd(close);
  const cluster = await openCluster(trial, server, { databaseOf: (place) => lines[place]?.url ?? server.url });
  return { ...cluster, lines };
}
