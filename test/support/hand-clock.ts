// A clock that stands still until a test turns it.
import type { Clock, Millis, TimeSource } from '../../server/domain/time/clock.ts';

export type HandClock = Clock &
  TimeSource & {
    /** Time passes. */
    advance(milliseconds: number): void;
    /** Time passes until this moment; a moment that is past is what somebody sets the clock to. */
    set(moment: Millis): void;
    /** The wall clock alone moves, as in a sleep or when somebody sets it. */
    jump(milliseconds: number): void;
  };

export const NOON = Date.UTC(2026, 0, 15, 12, 0, 0);

export function handClock(start: Millis = NOON): HandClock {
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
