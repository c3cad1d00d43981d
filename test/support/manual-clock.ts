// A clock that only moves when a test moves it.
import type { Clock, Millis, TimeSource } from '../../server/domain/time/clock.ts';

export type ManualClock = Clock &
  TimeSource & {
    /** Advances the clock. */
    advance(milliseconds: number): void;
    /** Advances to this time. A time in the past is like setting the clock back. */
    set(moment: Millis): void;
    /** Moves only the wall clock, as in a sleep or when the clock is set. */
    jump(milliseconds: number): void;
  };

export const NOON = Date.UTC(2026, 0, 15, 12, 0, 0);

export function manualClock(start: Millis = NOON): ManualClock {
  let moment = start;
  let counted = 0;
  const advance = (milliseconds: number): void => {
    moment += milliseconds;
    counted += milliseconds;
  };
  const jump = (milliseconds: number): void => void (moment += milliseconds);
  return {
    now: () => moment,
    wall: () => moment,
    monotonic: () => counted,
    advance,
    jump,
    set: (next) => (next < moment ? jump(next - moment) : advance(next - moment)),
  };
}
