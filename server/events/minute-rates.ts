// How often something was done within the present minute of the clock, by key. Memory holds the keys of one minute
// only.
import type { Millis } from '../domain/time/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/time/time.ts';

export type MinuteRates = {
  /** Counts one, unless there were `max` in this minute: then the result is the number of seconds until the next. */
  take(key: string, max: number, now: Millis): number | undefined;
};

export function countPerMinute(): MinuteRates {
  let minute = -1;
  let counts = new Map<string, number>();
  return {
    take: (key, max, now) => {
      const present = Math.floor(now / MINUTE_MS);
      if (present !== minute) [minute, counts] = [present, new Map()];
      const used = counts.get(key) ?? 0;
      if (used >= max) return Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / SECOND_MS);
      counts.set(key, used + 1);
      return undefined;
    },
  };
}
