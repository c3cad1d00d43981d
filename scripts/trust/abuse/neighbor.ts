// The other tenant: continuously sends tasks and reads an inbox on a separate thread while others attack, and
// records latencies and errors.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Account } from '../../../test/support/http/rest-client.ts';
import type { Hub } from '../hub.ts';

/**
 * Times in milliseconds. `probes` are those of /health/live on an open connection, `newcomers` those on a new one;
 * `tasks` are the acknowledged ones.
 */
export type Seen = { latencies: number[]; probes: number[]; newcomers: number[]; refused: string[]; tasks: string[] };

export type Neighbor = { stop(): Promise<Seen> };

/** `newcomers` is how many connections it opens at once. */
type Manner = { isSecure?: boolean; newcomers?: number };

/** Resolves once the tenant is connected and has got its first response. */
export async function startNeighbor(
  { port, pid }: Hub,
  { networkToken }: Pick<Account, 'networkToken'>,
  { isSecure = false, newcomers = 1 }: Manner = {},
): Promise<Neighbor> {
  const worker = new Worker(new URL('./neighbor-thread.ts', import.meta.url), {
    workerData: { port, pid, token: networkToken, isSecure, newcomers },
  });
  await once(worker, 'message');
  return {
    stop: async () => {
      const over = once(worker, 'message');
      worker.postMessage('stop');
      const [seen] = (await over) as [Seen];
      await worker.terminate();
      return seen;
    },
  };
}

/** The smallest value that this share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? 0;
}
