// Three hubs on one PostgreSQL server while one of them is killed or hangs, or the server is killed.
import { setTimeout as after } from 'node:timers/promises';
import type { Draws } from '../../support/random.ts';
import type { Row, Trial } from '../row.ts';
import { type Cluster, openCluster, startTraffic, type Traffic } from './cluster.ts';

const QUIET_MS = 300;
const LONGEST_QUIET_MS = 400;

type Loss = {
  name: string;
  promise: string;
  what: string;
  /** Disturbs the cluster, and returns the place of the hub whose clients may notice it; undefined if all may. */
  disturb(cluster: Cluster, draws: Draws): Promise<number | undefined>;
  /** The longest that a send of the other clients may take. */
  mostMs: number;
};

export const hubLoss = rowOf({
  name: 'hub-loss',
  promise: 'the loss of a hub is noticed by its clients only, and loses nothing',
  what: 'kill -9 of one of three hubs',
  mostMs: 1_000,
  disturb: async (cluster, draws) => {
    const place = Math.floor(draws.below(cluster.hubs.length));
    await cluster.hubs[place]?.kill('SIGKILL');
    await after(draws.below(LONGEST_QUIET_MS));
    await cluster.restart(place);
    return place;
  },
});

export const hungHub = rowOf({
  name: 'hung-hub',
  promise: 'a hub that hangs, even within a transaction, holds up the others for a second at most',
  what: 'one of three hubs stopped for 3 s',
  mostMs: 1_500,
  disturb: async (cluster, draws) => {
    const place = Math.floor(draws.below(cluster.hubs.length));
    const { child } = cluster.hubs[place] ?? {};
    child?.kill('SIGSTOP');
    await after(3_000);
    child?.kill('SIGCONT');
    return place;
  },
});

export const serverLoss = rowOf({
  name: 'server-loss',
  promise: 'the loss of the database server loses nothing, and the hubs continue when it is back',
  what: 'kill -9 of the PostgreSQL server of three hubs',
  mostMs: Infinity,
  disturb: async ({ server }, draws) => {
    await server.kill();
    await after(draws.below(LONGEST_QUIET_MS));
    await server.start();
    return undefined;
  },
});

function rowOf({ name, promise, what, mostMs, disturb }: Loss): Row {
  return {
    name,
    promise,
    test: (times) => `${what}, ${times} times, under 12 senders with keys and a reader at each hub`,
    target: `0 lost, 0 doubled, 0 events missing, twice or out of order${mostMs === Infinity ? '' : `; others wait ≤ ${mostMs} ms`}`,
    amounts: { least: 2, quick: 5, long: 50 },
    isAlone: true,
    run: async (trial) => {
      const cluster = await openCluster(trial);
      if (cluster === undefined) return { skipped: 'there is no PostgreSQL for this system' };
      const traffic = await startTraffic(cluster);
      const longest = { own: 0, others: 0 };
      for (let time = 0; time < trial.amount; time++) await disturbed(trial, cluster, traffic, longest, disturb);
      const wrong = await traffic.end();
      const late = longest.others > mostMs ? [`a send of the other clients took ${Math.round(longest.others)} ms`] : [];
      const figure = `${traffic.sends.length} sends; longest ${Math.round(longest.own)} ms at the lost, ${Math.round(longest.others)} ms elsewhere`;
      return { figure, complaints: [...wrong, ...(trial.size === 'least' ? [] : late)] };
    },
  };
}

async function disturbed(
  { draws }: Trial,
  cluster: Cluster,
  { sends, refused }: Traffic,
  longest: { own: number; others: number },
  disturb: Loss['disturb'],
): Promise<void> {
  await after(QUIET_MS + draws.below(LONGEST_QUIET_MS));
  const before = sends.length;
  const lost = await disturb(cluster, draws);
  const goes = sends.length;
  while (refused.length === 0 && sends.length < goes + cluster.hubs.length * 12) await after(10);
  for (const { tookMs, home } of sends.slice(before))
    if (lost === undefined || home === lost) longest.own = Math.max(longest.own, tookMs);
    else longest.others = Math.max(longest.others, tookMs);
}
