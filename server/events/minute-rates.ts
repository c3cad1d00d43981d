// Counts events by key within the current clock minute. Memory holds only the keys of one minute.
import type { Millis } from '../domain/time/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/time/time.ts';

export type MinuteRates = {
  /** Counts one event, or returns the seconds until the next minute if there were already `max`. */
  take(key: string, max: number, now: Millis): number | undefined;
};

export function openMinuteRates(): MinuteRates {
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
