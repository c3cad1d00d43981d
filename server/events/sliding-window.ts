// Counts attempts by key within a sliding window, in bounded memory: where there are too many keys, those that were
// tried longest ago are forgotten. Each key keeps as many moments as its caller lets be counted, so callers look before
// they add.
import type { Millis } from '../domain/time/clock.ts';

export type SlidingCounter = {
  /** How many attempts of this key lie within the window before `now`. */
  count(key: string, now: Millis): number;
  /** Counts one; the answer takes it back. */
  add(key: string, now: Millis): () => void;
  /** When the oldest counted attempt of this key leaves the window. */
  freeAt(key: string): Millis;
};

const NONE: readonly Millis[] = [];

export function openSlidingCounter(windowMs: number, maxKeys: number): SlidingCounter {
  const moments = forgetful<Millis[]>(maxKeys);
  const within = (key: string, now: Millis): readonly Millis[] =>
    moments.get(key)?.filter((moment) => now - moment < windowMs) ?? NONE;
  return {
    count: (key, now) => within(key, now).length,
    add: (key, now) => {
      const recent = [...within(key, now), now];
      moments.set(key, recent);
      return () => takeBack(moments, key, now);
    },
    freeAt: (key) => (moments.get(key)?.[0] ?? -Infinity) + windowMs,
  };
}

// From what is counted now: others of this key may have been counted since.
function takeBack(moments: Forgetful<Millis[]>, key: string, moment: Millis): void {
  const counted = moments.get(key) ?? [];
  const place = counted.indexOf(moment);
  if (place >= 0) counted.splice(place, 1);
  if (counted.length === 0) moments.delete(key); // or keys that count nothing would push out others
}

type Forgetful<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
};

// Two halves, the older of which goes when the newer is full. (The oldest key of one Map is found only behind all that
// were deleted before it.)
function forgetful<Value>(maxKeys: number): Forgetful<Value> {
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();
  return {
    get: (key) => newer.get(key) ?? older.get(key),
    delete: (key) => void (newer.delete(key), older.delete(key)),
    set: (key, value) => {
      if (newer.size >= maxKeys / 2) [newer, older] = [new Map(), newer];
      newer.set(key, value);
    },
  };
}
