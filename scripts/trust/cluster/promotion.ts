// Three hubs on a PostgreSQL server whose synchronous standby takes its place when it is killed.
import { setTimeout as after } from 'node:timers/promises';
import { startPostgresPair } from '../../support/postgres-server.ts';
import { until } from '../hub.ts';
import type { Row, Trial } from '../row.ts';
import { NO_SERVER, openCluster, startTraffic } from './cluster.ts';
import { LONGEST_QUIET_MS, QUIET_MS } from './loss.ts';

const MOST_MS = 5_000;
const SENDS_AFTER = 60;
const GOES_ON_MS = 20_000;

export const promotion: Row = {
  name: 'promotion',
  promise: 'a synchronous standby takes the place of a lost database server, and nothing acknowledged is lost',
  test: (times) => `kill -9 of the primary server of three hubs, then the standby promoted, ${times} times`,
  target: `0 lost, 0 doubled, 0 events missing, twice or out of order; sends go on ≤ ${MOST_MS} ms after the promotion`,
  amounts: { least: 1, quick: 3, long: 20 },
  isAlone: true,
  run: async (trial) => {
    const figures: string[] = [];
    const complaints: string[] = [];
    for (let time = 0; time < trial.amount; time += 1) {
      const found = await promoteOnce(trial);
      if (found === undefined) return { skipped: NO_SERVER };
      figures.push(found.figure);
      complaints.push(...found.complaints);
    }
    return { figure: figures.join('; '), complaints };
  },
};

async function promoteOnce(trial: Trial): Promise<{ figure: string; complaints: string[] } | undefined> {
  const pair = await startPostgresPair();
  if (pair === undefined) return undefined;
  trial.atEnd(pair.stop);
  const cluster = await openCluster(trial, pair.primary, { databaseOf: () => pair.url });
  const traffic = await startTraffic(cluster);
  await after(QUIET_MS + trial.draws.below(LONGEST_QUIET_MS));
  await pair.primary.kill();
  await after(trial.draws.below(LONGEST_QUIET_MS));
  await pair.promote();
  const promotedAt = performance.now();
  const before = traffic.sends.length;
  await until(() => traffic.sends.length >= before + SENDS_AFTER || traffic.refused.length > 0, GOES_ON_MS).catch(() =>
    traffic.refused.push('the sends did not go on after the promotion'),
  );
  const waits = traffic.sends.slice(before).map(({ startedAt, tookMs }) => startedAt + tookMs - promotedAt);
  const longest = Math.round(Math.max(0, ...waits.slice(0, SENDS_AFTER)));
  const wrong = await traffic.end();
  const isLate = longest > MOST_MS && trial.size !== 'least';
  return {
    figure: `${traffic.sends.length} sends, the first ${SENDS_AFTER} within ${longest} ms`,
    complaints: [...wrong, ...(isLate ? [`sends went on ${longest} ms after the promotion`] : [])],
  };
}
