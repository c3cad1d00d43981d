// Patience with a hub that is away for a while: tries again, each time a little later, until it is back.
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFraction } from '../../domain/ids/ids.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { note } from '../output.ts';
import { isPassing } from './hub-client.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10 * SECOND_MS;

/** Pauses that double up to ten seconds, spread so that many clients do not return in one instant. */
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

/**
 * What `act` answers in the end. Only a passing failure is tried again; an aborted signal ends the patience with it.
 */
export async function withRetry<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const pause = backoffDelays();
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await act();
    } catch (error) {
      if (!isPassing(error) || signal.aborted) throw error;
      if (isFirst) note(`${error.message}; trying until it answers`);
      await pause.next(signal);
    }
  }
}
