// Enforces a minimum speed for request bodies. A stalled body, or a slow large one, would hold memory that others need.
import { bodyTooSlow, type HubError } from '../../domain/errors.ts';
import {
  BODY_IDLE_MS,
  BODY_PACE_FROM_MS,
  MIN_BODY_BYTES_PER_SECOND,
  UNSHARED_BODY_BYTES,
} from '../../domain/limits.ts';
import { SECOND_MS } from '../../domain/time/time.ts';

export type Arrival = { bytes: number; elapsedMs: number; idleMs: number };

/** Small bodies may arrive at any speed, as long as they do not stall. */
export function isTooSlow({ bytes, elapsedMs, idleMs }: Arrival): boolean {
  if (idleMs >= BODY_IDLE_MS) return true;
  const isJudged = bytes > UNSHARED_BODY_BYTES && elapsedMs > BODY_PACE_FROM_MS;
  return isJudged && bytes < (MIN_BODY_BYTES_PER_SECOND * elapsedMs) / SECOND_MS;
}

/** Calls `cutOff` once when the body is too slow. */
export function watchPace(cutOff: (error: HubError) => void) {
  const start = performance.now();
  let last = start;
  let bytes = 0;
  const check = (): void => {
    const now = performance.now();
    if (!isTooSlow({ bytes, elapsedMs: now - start, idleMs: now - last })) return;
    clearInterval(timer);
    cutOff(bodyTooSlow());
  };
  const timer = setInterval(check, SECOND_MS).unref();
  return {
    add: (count: number): void => {
      bytes += count;
      last = performance.now();
    },
    stop: (): void => clearInterval(timer),
  };
}
