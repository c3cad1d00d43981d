// A clock that stands still until a test turns it.
import type { Clock, Millis } from '../../server/domain/clock.ts';

export type HandClock = Clock & { advance(milliseconds: number): void; set(moment: Millis): void };

export const NOON = Date.UTC(2026, 0, 15, 12, 0, 0);

export function handClock(start: Millis = NOON): HandClock {
  let moment = start;
  return {
    now: () => moment,
    advance: (milliseconds) => void (moment += milliseconds),
    set: (next) => void (moment = next),
  };
}
