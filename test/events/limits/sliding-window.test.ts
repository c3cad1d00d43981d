// Attempts are counted by key within a sliding window, can be undone one by one, and are evicted when there are too
// many keys.
import { expect, test } from 'vitest';
import { openSlidingCounter } from '../../../server/events/limits/sliding-window.ts';

test('attempts of one moment can each be undone, in any order, and never more than were counted', () => {
  const attempts = openSlidingCounter(1_000, 10);
  const takeBacks = [attempts.add('a', 1), attempts.add('a', 1), attempts.add('a', 1)];
  takeBacks.toReversed().forEach((takeBack, index) => {
    takeBack();
    expect(attempts.count('a', 1)).toBe(2 - index);
  });
  const [again] = takeBacks;
  attempts.add('a', 2);
  again?.();
  expect(attempts.count('a', 2)).toBe(1);
});

test('an attempt leaves the window, and the time of the first is returned', () => {
  const attempts = openSlidingCounter(1_000, 10);
  attempts.add('a', 1);
  attempts.add('a', 500);
  expect([attempts.count('a', 1_000), attempts.count('a', 1_001), attempts.freeAt('a')]).toEqual([2, 1, 1_001]);
});

test('with too many keys, the least recently tried ones are evicted', () => {
  const attempts = openSlidingCounter(1_000, 10);
  for (let key = 0; key < 100; key++) attempts.add(String(key), 1);
  const known = Array.from({ length: 100 }, (_, key) => key).filter((key) => attempts.count(String(key), 1) > 0);
  expect(known.length).toBeLessThanOrEqual(10);
  expect(known.length).toBeGreaterThanOrEqual(5);
  expect(known.at(-1)).toBe(99);
  expect(known[0]).toBe(100 - known.length);
});

test('a key whose attempts were all undone is removed, and evicts no other', () => {
  const attempts = openSlidingCounter(1_000, 10);
  attempts.add('a', 1);
  for (let key = 0; key < 100; key++) attempts.add(String(key), 1)();
  expect(attempts.count('a', 1)).toBe(1);
});
