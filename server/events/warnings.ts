// Logs warnings about the clock, errors in commit hooks, and wrong counters.
import type { Log } from '../domain/log.ts';
import { type HubClock, type Millis, openHubClock, type TimeSource } from '../domain/time/clock.ts';
import { MINUTE_MS, roughDifference, SECOND_MS } from '../domain/time/time.ts';
import { openSlidingCounter } from './limits/sliding-window.ts';

/** A clock that logs jumps. Calls `onWake` when time has jumped forward. */
export function openLoggedClock(
  time: TimeSource,
  notBefore: Millis | undefined,
  log: Log,
  onWake: (now: Millis) => void,
): HubClock {
  const clock = openHubClock(time, {
    notBefore,
    onJump: (step) => {
      onWake(clock.now());
      log.warn(
        { slept_seconds: Math.round(step / SECOND_MS) },
        `the machine was asleep or its clock was set forward by ${roughDifference(step)}`,
      );
    },
    onAhead: (by) =>
      log.warn(
        { behind_seconds: Math.round(by / SECOND_MS) },
        `the machine's clock is ${roughDifference(by)} behind the newest record; time continues from there until the clock has caught up`,
      ),
    onUnusable: () =>
      log.warn(
        { clock_ms: time.wall() },
        "the machine's clock shows a time after the year 9000; it is ignored until it is set",
      ),
  });
  return clock;
}

export function warnOfLowCounters(log: Log): (low: { counter: string; owner: string | number }) => void {
  return ({ counter, owner }) => {
    log.warn(
      { counter, owner },
      `${counter} of ${owner} is lower than the number of its rows; stop the hub and run agenthub doctor --repair`,
    );
  };
}

const REMEMBERED_ERRORS = 1_000;
const ERRORS_A_MINUTE = 5;

/** Rate-limits each error, because the same one can occur with every commit, hundreds of times a second. */
export function logCommitErrors(log: Log, clock: HubClock): (error: unknown) => void {
  const logged = openSlidingCounter(MINUTE_MS, REMEMBERED_ERRORS);
  return (error) => {
    if (logged.count(String(error), clock.now()) >= ERRORS_A_MINUTE) return;
    logged.add(String(error), clock.now());
    log.error({ err: error }, 'commit hook failed; acknowledged writes are not affected');
  };
}
