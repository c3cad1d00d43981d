// How fast a request body must arrive. A body that stops, or a large one that dribbles, would hold memory that others
// need.
import { bodyTooSlow, type HubError } from '../../domain/errors.ts';
import {
  BODY_IDLE_MS,
  BODY_PACE_FROM_MS,
  MIN_BODY_BYTES_PER_SECOND,
  UNSHARED_BODY_BYTES,
} from '../../domain/limits.ts';
import { SECOND_MS } from '../../domain/time/time.ts';

export type Arrival = { bytes: number; elapsedMs: number; idleMs: number };

/** Small bodies may be as slow as their links are, as long as something arrives. */
export function isTooSlow({ bytes, elapsedMs, idleMs }: Arrival): boolean {
  if (idleMs >= BODY_IDLE_MS) return true;
  const isJudged = bytes > UNSHARED_BODY_BYTES && elapsedMs > BODY_PACE_FROM_MS;
  return isJudged && bytes < (MIN_BODY_BYTES_PER_SECOND * elapsedMs) / SECOND_MS;
}

/** Calls `cutOff` once when the body is too slow. */
export function watchPace(cutOff: (error: HubError) => void) {
  const begun = performance.now();
  let last = begun;
  let bytes = 0;
  const look = (): void => {
    const now = performance.now();
    if (!isTooSlow({ bytes, elapsedMs: now - begun, idleMs: now - last })) return;
    clearInterval(timer);
    cutOff(bodyTooSlow());
  };
  const timer = setInterval(look, SECOND_MS).unref();
  return {
    add: (count: number): void => {
      bytes += count;
      last = performance.now();
    },
    stop: (): void => clearInterval(timer),
  };
}
