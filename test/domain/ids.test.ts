// Ids: secret ones cannot be guessed, and frequent ones are short and sort by time.
import { expect, test } from 'vitest';
import { type IdPrefix, randomIds } from '../../server/domain/ids/ids.ts';
import { manualClock } from '../support/manual-clock.ts';

test.each<[IdPrefix, number]>([
  ['usr', 22],
  ['net', 22],
  ['tok', 22],
  ['ivt', 22],
  ['task', 16],
  ['msg', 16],
  ['cmp', 16],
])('%s_ and %i base62 characters', (prefix, length) => {
  expect(randomIds(manualClock()).next(prefix)).toMatch(new RegExp(`^${prefix}_[0-9A-Za-z]{${length}}$`));
});

test('ids of one millisecond are unique', () => {
  const ids = randomIds(manualClock());
  expect(new Set(Array.from({ length: 100_000 }, () => ids.next('task'))).size).toBe(100_000);
});

test('a later id sorts after an earlier one, as SQLite compares them', () => {
  const clock = manualClock();
  const ids = randomIds(clock);
  const inTime = [1, 61, 62, 3_843, 3_844, 86_400_000].map((milliseconds) => {
    clock.advance(milliseconds);
    return ids.next('task');
  });
  expect(inTime.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))).toEqual(inTime);
});
