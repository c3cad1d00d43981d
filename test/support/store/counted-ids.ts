// Sequential ids instead of random ones, so that failures are reproducible.
import type { Ids } from '../../../server/domain/ids/ids.ts';

/** Those of a second hub on the same database begin with another number. */
export function countedIds(first = 0): Ids {
  let count = first;
  return {
    next: (prefix) => `${prefix}_${String(++count).padStart(22, '0')}`,
    word: (length) => String(++count).padStart(length, '0'),
    fraction: () => 0.5,
  };
}
