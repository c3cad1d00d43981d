// The size of the database over the last week, measured every ten minutes since the start.
import type { Millis } from '../domain/time/clock.ts';
import { DAY_MS } from '../domain/time/time.ts';

export type Size = { at: Millis; bytes: number };

export type Sizes = {
  note(size: Size): void;
  /** The oldest size that is at most this old; undefined before the first measurement. */
  since(moment: Millis): Size | undefined;
};

const REMEMBERED_MS = 7 * DAY_MS;

export function openSizes(): Sizes {
  const sizes: Size[] = [];
  return {
    note: (size) => {
      sizes.push(size);
      while ((sizes[0]?.at ?? Infinity) < size.at - REMEMBERED_MS) sizes.shift();
    },
    since: (moment) => sizes.find(({ at }) => at >= moment),
  };
}
