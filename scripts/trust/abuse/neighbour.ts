// The tenant next door: sends a task and reads an inbox twenty times a second on a thread of its own, while others attack, and
// writes down how long each took and what was refused.
import { Worker } from 'node:worker_threads';
import type { Account } from '../../../test/support/rest-client.ts';
import type { Hub } from '../hub.ts';

/** Times in milliseconds. `probes` are those of /health/live; `tasks` the acknowledged ones. */
export type Seen = { latencies: number[]; probes: number[]; refused: string[]; tasks: string[] };

export type Neighbour = { stop(): Promise<Seen> };

export function startNeighbour({ port, pid }: Hub, { networkToken }: Account): Neighbour {
  const worker = new Worker(new URL('./neighbour-thread.ts', import.meta.url), { workerData: { port, pid, token: networkToken } });
  const over = new Promise<Seen>((resolve, reject) => worker.once('message', resolve).once('error', reject));
  return {
    stop: async () => {
      worker.postMessage('stop');
      const seen = await over;
      await worker.terminate();
      return seen;
    },
  };
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;
}
