// A row in which something happens to three hubs on one PostgreSQL server under load, again and again.
import { setTimeout as after } from 'node:timers/promises';
import { NO_FAKETIME } from '../../faketime.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import type { Draws } from '../../support/random.ts';
import type { Row, Trial } from '../row.ts';
import { type Cluster, NO_SERVER, openServer, startTraffic, type Traffic } from './cluster.ts';

export const QUIET_MS = 300;
export const LONGEST_QUIET_MS = 400;

export type Loss<Opened extends Cluster> = {
  name: string;
  promise: string;
  what: string;
  /** Undefined without libfaketime, where that is needed. */
  open(trial: Trial, server: PostgresServer): Promise<Opened | undefined>;
  /** Disturbs the cluster, and returns the place of the hub whose clients may notice it; undefined if all may. */
  disturb(cluster: Opened, draws: Draws): Promise<number | undefined>;
  /** The longest that a send of the other clients may take. */
  mostMs: number;
  /** What else is wrong at the end. */
  check?(cluster: Opened): Promise<string[]>;
};

export function rowOf<Opened extends Cluster>({
  name,
  promise,
  what,
  mostMs,
  open,
  disturb,
  check,
}: Loss<Opened>): Row {
  return {
    name,
    promise,
    test: (times) => `${what}, ${times} times, under 12 senders with keys and a reader at each hub`,
    target: `0 lost, 0 doubled, 0 events missing, twice or out of order${mostMs === Infinity ? '' : `; others wait ≤ ${mostMs} ms`}`,
    amounts: { least: 2, quick: 5, long: 50 },
    isAlone: true,
    run: async (trial) => {
      const server = await openServer(trial);
      if (server === undefined) return { skipped: NO_SERVER };
      const cluster = await open(trial, server);
      if (cluster === undefined) return { skipped: NO_FAKETIME };
      const traffic = await startTraffic(cluster);
      const longest = { own: 0, others: 0 };
      for (let time = 0; time < trial.amount && traffic.refused.length === 0; time++)
        await disturbed(cluster, traffic, longest, () => disturb(cluster, trial.draws), trial.draws).catch(
          ({ message }: Error) => void traffic.refused.push(message),
        );
      const wrong = [...(await traffic.end()), ...((await check?.(cluster)) ?? [])];
      const late = longest.others > mostMs ? [`a send of the other clients took ${Math.round(longest.others)} ms`] : [];
      const figure = `${traffic.sends.length} sends; longest ${Math.round(longest.own)} ms at the lost, ${Math.round(longest.others)} ms elsewhere`;
      return { figure, complaints: [...wrong, ...(trial.size === 'least' ? [] : late)] };
    },
  };
}

async function disturbed(
  { hubs }: Cluster,
  { sends, refused }: Traffic,
  longest: { own: number; others: number },
  disturb: () => Promise<number | undefined>,
  draws: Draws,
): Promise<void> {
  await after(QUIET_MS + draws.below(LONGEST_QUIET_MS));
  const before = sends.length;
  const lost = await disturb();
  const goes = sends.length;
  while (refused.length === 0 && sends.length < goes + hubs.length * 12) await after(10);
  for (const { tookMs, home } of sends.slice(before))
    if (lost === undefined || home === lost) longest.own = Math.max(longest.own, tookMs);
    else longest.others = Math.max(longest.others, tookMs);
}
