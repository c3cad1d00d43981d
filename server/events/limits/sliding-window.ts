// A sliding-window counter of attempts by key. Memory is bounded: with too many keys, the oldest ones are evicted. A
// key stores every counted attempt, so callers must check the count before they add one.
import type { Millis } from '../../domain/time/clock.ts';
import type { Exchange } from '../exchange.ts';

export type SlidingCounter = {
  /** The number of attempts of this key within the window before `now`. */
  count(key: string, now: Millis): number;
  /** Counts an attempt; the returned function undoes it. */
  add(key: string, now: Millis): () => void;
  /** Undoes an attempt of this moment. */
  remove(key: string, at: Millis): void;
  /** When the oldest counted attempt of this key leaves the window. */
  freeAt(key: string): Millis;
};

const NONE: readonly Millis[] = [];

/** Counts attempts at other hubs too. */
export function sharedCounter(
  exchange: Exchange,
  limit: string,
  counter: SlidingCounter,
  isUrgent = false,
): SlidingCounter {
  const count = (key: string, at: Millis, isUndone: boolean): void =>
    isUndone ? counter.remove(key, at) : void counter.add(key, at);
  const tell = exchange.share(limit, count, isUrgent);
  return {
    ...counter,
    add: (key, now) => {
      const undo = counter.add(key, now);
      tell(key, now, false);
      return () => {
        undo();
        tell(key, now, true);
      };
    },
  };
}

export function openSlidingCounter(windowMs: number, maxKeys: number): SlidingCounter {
  const moments = openRecentMap<Millis[]>(maxKeys);
  const within = (key: string, now: Millis): readonly Millis[] =>
    moments.get(key)?.filter((moment) => now - moment < windowMs) ?? NONE;
  return {
    count: (key, now) => within(key, now).length,
    add: (key, now) => {
      const recent = [...within(key, now), now];
      moments.set(key, recent);
      return () => remove(moments, key, now);
    },
    remove: (key, at) => remove(moments, key, at),
    freeAt: (key) => (moments.get(key)?.[0] ?? -Infinity) + windowMs,
  };
}

// Reads the current list, because other attempts of this key may have been counted since.
function remove(moments: RecentMap<Millis[]>, key: string, moment: Millis): void {
  const counted = moments.get(key) ?? [];
  const index = counted.indexOf(moment);
  if (index >= 0) counted.splice(index, 1);
  if (counted.length === 0) moments.delete(key); // otherwise empty keys would evict others
}

type RecentMap<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
};

// Uses two Maps and discards the older when the newer is full. With a single Map, finding the oldest key would step
// over all keys deleted before it.
function openRecentMap<Value>(maxKeys: number): RecentMap<Value> {
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();
  return {
    get: (key) => newer.get(key) ?? older.get(key),
    delete: (key) => {
      newer.delete(key);
      older.delete(key);
    },
    set: (key, value) => {
      if (newer.size >= maxKeys / 2) [newer, older] = [new Map(), newer];
      newer.set(key, value);
    },
  };
}
