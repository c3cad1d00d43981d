// Ids that count instead of being random, so that a failing test reads the same every time.
import type { Ids } from '../../../server/domain/ids/ids.ts';

export function countedIds(): Ids {
  let count = 0;
  return {
    next: (prefix) => `${prefix}_${String(++count).padStart(22, '0')}`,
    word: (length) => String(++count).padStart(length, '0'),
    fraction: () => 0.5,
  };
}
