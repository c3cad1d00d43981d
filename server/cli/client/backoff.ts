// Retries calls to a hub that is temporarily unavailable, with increasing delays.
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFraction } from '../../domain/ids/ids.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { note } from '../output.ts';
import { isTransient } from './hub-client.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10 * SECOND_MS;

/** Delays that double up to ten seconds, with jitter so that many clients do not reconnect at once. */
export function backoffDelays(): { next(signal: AbortSignal): Promise<void>; reset(): void } {
  let bound = FIRST_PAUSE_MS;
  return {
    next: async (signal) => {
      const pause = bound * (0.5 + randomFraction() / 2);
      bound = Math.min(bound * 2, LONGEST_PAUSE_MS);
      await sleep(pause, undefined, { signal }).catch(() => {});
    },
    reset: () => (bound = FIRST_PAUSE_MS),
  };
}

/** Returns the result of `act`. Retries transient failures only, and stops when the signal is aborted. */
export async function withRetry<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const pause = backoffDelays();
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await act();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      if (isFirst) note(`${error.message}; retrying`);
      await pause.next(signal);
    }
  }
}
