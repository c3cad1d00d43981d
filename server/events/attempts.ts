// Counts attempts by key within a sliding window, in bounded memory: where there are too many keys, the one that was
// tried longest ago is forgotten.
import type { Millis } from '../domain/clock.ts';

export type Attempts = {
  /** How many attempts of this key lie within the window before `now`. */
  count(key: string, now: Millis): number;
  /** Counts one; the answer takes it back. */
  add(key: string, now: Millis): () => void;
  /** When the oldest counted attempt of this key leaves the window. */
  freeAt(key: string): Millis;
};

export function countAttempts(windowMs: number, maxKeys: number): Attempts {
  const moments = new Map<string, Millis[]>();
  const within = (key: string, now: Millis): Millis[] => (moments.get(key) ?? []).filter((moment) => now - moment < windowMs);
  return {
    count: (key, now) => within(key, now).length,
    add: (key, now) => {
      const recent = [...within(key, now), now];
      moments.delete(key); // set again at the end: a Map is in the order of insertion
      moments.set(key, recent);
      forgetOldest(moments, maxKeys);
      return () => void recent.splice(recent.indexOf(now), 1);
    },
    freeAt: (key) => (moments.get(key)?.[0] ?? -Infinity) + windowMs,
  };
}

function forgetOldest(moments: Map<string, unknown>, maxKeys: number): void {
  if (moments.size <= maxKeys) return;
  const [oldest] = moments.keys();
  if (oldest !== undefined) moments.delete(oldest);
}
