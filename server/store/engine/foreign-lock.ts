// Another program can lock the database, such as a shell in which somebody works on it. Writes then wait, and those
// that wait for long are refused. Nothing of them has begun, so the hub can continue when the lock is gone.
import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Job } from './jobs.ts';

export type ForeignLock = {
  /** How long the lock has been found, in milliseconds; 0 without one. */
  ageMs(): number;
  /** Refuses the jobs that have waited for long, and returns the others after a short while, to be tried again. */
  wait(jobs: readonly Job[]): Promise<readonly Job[]>;
  /** The writes have begun, so there is no lock. */
  ended(): void;
};

/** Shorter than the time after which a hub is not ready. */
const REFUSED_AFTER_MS = 5 * SECOND_MS;
const AGAIN_AFTER_MS = 20;

const locked = () => unavailable('another program has locked the database; try again in a few seconds');

/** `elapsed` returns milliseconds of a monotonic clock. */
export function openForeignLock(elapsed: () => number): ForeignLock {
  let since: number | undefined;
  return {
    ageMs: () => (since === undefined ? 0 : elapsed() - since),
    wait: async (jobs) => {
      since ??= elapsed();
      await sleep(AGAIN_AFTER_MS);
      const now = elapsed();
      const isLate = ({ queuedAt }: Job): boolean => now - queuedAt > REFUSED_AFTER_MS;
      for (const job of jobs.filter(isLate)) job.reject(locked());
      return jobs.filter((job) => !isLate(job));
    },
    ended: () => (since = undefined),
  };
}
