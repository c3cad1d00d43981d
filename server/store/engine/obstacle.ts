// What keeps writes from beginning: another program has locked the database file, such as a shell in which somebody
// works on it, or the database server cannot be reached. Writes then wait, and those that wait for long are refused.
// Nothing of them has begun, so the hub can continue when the obstacle is gone.
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Job } from './jobs.ts';

export type Obstacle = {
  /** For how long it has been found, in milliseconds; 0 without one. */
  ageMs(): number;
  /** Refuses the jobs that have waited for long, and returns the others. */
  refuse(jobs: readonly Job[]): readonly Job[];
  /** As `refuse`, after a short while: what is returned can be tried again. */
  wait(jobs: readonly Job[]): Promise<readonly Job[]>;
  /** The writes have begun, so it is gone. */
  ended(): void;
};

/** Shorter than the time after which a hub is not ready. */
const REFUSED_AFTER_MS = 5 * SECOND_MS;
export const AGAIN_AFTER_MS = 20;

/** `elapsed` returns milliseconds of a monotonic clock; `refusal` creates the error of refused jobs. */
export function openObstacle(elapsed: () => number, refusal: () => Error): Obstacle {
  let since: number | undefined;
  const refuse = (jobs: readonly Job[]): readonly Job[] => {
    const now = elapsed();
    since ??= now;
    const isLate = ({ queuedAt }: Job): boolean => now - queuedAt > REFUSED_AFTER_MS;
    for (const job of jobs.filter(isLate)) job.reject(refusal());
    return jobs.filter((job) => !isLate(job));
  };
  return {
    ageMs: () => (since === undefined ? 0 : elapsed() - since),
    refuse,
    wait: async (jobs) => {
      since ??= elapsed();
      await sleep(AGAIN_AFTER_MS);
      return refuse(jobs);
    },
    ended: () => (since = undefined),
  };
}
