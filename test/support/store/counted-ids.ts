// Sequential ids instead of random ones, so that failures are reproducible.
import type { Ids } from '../../../server/domain/ids/ids.ts';

export function countedIds(): Ids {
  let count = 0;
  return {
    next: (prefix) => `${prefix}_${String(++count).padStart(22, '0')}`,
    word: (length) => String(++count).padStart(length, '0'),
    fraction: () => 0.5,
  };
}
