// The tenant next door: sends tasks and reads an inbox all the time on a thread of its own, while others attack, and
// writes down how long each took and what was refused.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Account } from '../../../test/support/http/rest-client.ts';
import type { Hub } from '../hub.ts';

/** Times in milliseconds. `probes` are those of /health/live; `tasks` the acknowledged ones. */
export type Seen = { latencies: number[]; probes: number[]; refused: string[]; tasks: string[] };

export type Neighbour = { stop(): Promise<Seen> };

/** Resolves once the tenant is connected and has been served. */
export async function startNeighbour({ port, pid }: Hub, { networkToken }: Account): Promise<Neighbour> {
  const worker = new Worker(new URL('./neighbour-thread.ts', import.meta.url), {
    workerData: { port, pid, token: networkToken },
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

/** The smallest value that so large a share of them does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? 0;
}
