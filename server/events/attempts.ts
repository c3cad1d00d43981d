// Counts attempts by key within a sliding window, in bounded memory: where there are too many keys, those that were tried
// longest ago are forgotten.
import type { Millis } from '../domain/clock.ts';

export type Attempts = {
  /** How many attempts of this key lie within the window before `now`. */
  count(key: string, now: Millis): number;
  /** Counts one; the answer takes it back. */
  add(key: string, now: Millis): () => void;
  /** When the oldest counted attempt of this key leaves the window. */
  freeAt(key: string): Millis;
};

const NONE: readonly Millis[] = [];

export function countAttempts(windowMs: number, maxKeys: number): Attempts {
  const moments = forgetful<Millis[]>(maxKeys);
  const within = (key: string, now: Millis): readonly Millis[] => moments.get(key)?.filter((moment) => now - moment < windowMs) ?? NONE;
  return {
    count: (key, now) => within(key, now).length,
    add: (key, now) => {
      const recent = [...within(key, now), now];
      moments.set(key, recent);
      return () => takeBack(moments.get(key) ?? [], now);
    },
    freeAt: (key) => (moments.get(key)?.[0] ?? -Infinity) + windowMs,
  };
}

// From what is counted now: others of this key may have been counted since.
function takeBack(counted: Millis[], moment: Millis): void {
  const place = counted.indexOf(moment);
  if (place >= 0) counted.splice(place, 1);
}

// Two halves, the older of which goes when the newer is full. (The oldest key of one Map is found only behind all that were
// deleted before it.)
function forgetful<Value>(maxKeys: number) {
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();
  return {
    get: (key: string): Value | undefined => newer.get(key) ?? older.get(key),
    set: (key: string, value: Value): void => {
      if (newer.size >= maxKeys / 2) [newer, older] = [new Map(), newer];
      newer.set(key, value);
    },
  };
}
