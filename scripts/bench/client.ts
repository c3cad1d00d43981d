// Starts the load generator and sends it one job at a time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Job, Measurement } from './load.ts';

export type Client = Disposable & { run(job: Job): Promise<Measurement> };

export function startClient(): Client {
  const child = fork(join(import.meta.dirname, 'load.ts'));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the load generator exited')));
  ended.catch(() => {}); // it always exits eventually; only a running job must see the error
  return {
    run: async (job) => {
      child.send(job);
      const [measured] = await Promise.race([once(child, 'message'), ended]);
      return measured;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
