// Counts events by key within the current clock minute. Memory holds only the keys of one minute.
import type { Millis } from '../../domain/time/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time/time.ts';
import type { Exchange } from '../exchange.ts';

export type MinuteRates = {
  /** Counts one event, or returns the seconds until the next minute if there were already `max`. */
  take(key: string, max: number, now: Millis): number | undefined;
};

export function openMinuteRates(exchange: Exchange): MinuteRates {
  let minute = -1;
  let counts = new Map<string, number>();
  const usedIn = (present: number, key: string): number => {
    if (present > minute) [minute, counts] = [present, new Map()];
    return counts.get(key) ?? 0;
  };
  const count = (key: string, present: number): void => {
    const used = usedIn(present, key); // may start another map
    counts.set(key, used + 1);
  };
  const tell = exchange.share('minute_rates', count);
  return {
    take: (key, max, now) => {
      const present = Math.floor(now / MINUTE_MS);
      if (usedIn(present, key) >= max) return Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / SECOND_MS);
      count(key, present);
      tell(key, present);
      return undefined;
    },
  };
}
