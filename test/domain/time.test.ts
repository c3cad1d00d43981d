// How the hub formats times and durations.
import { expect, test } from 'vitest';
import { isoTime, roughDifference, roughDuration, timestamp } from '../../server/domain/time/time.ts';

test('a time is written in UTC to the second, truncated and not rounded', () => {
  expect(timestamp(Date.UTC(2026, 0, 31, 23, 59, 59, 999))).toBe('2026-01-31 23:59:59');
});

test('a heartbeat time is ISO 8601 with a Z', () => {
  expect(isoTime(Date.UTC(2026, 0, 31, 23, 59, 59))).toBe('2026-01-31T23:59:59.000Z');
});

test.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [86_400_000, '1 d'],
  [-5, '0 s'],
])('%i ms is about %s', (milliseconds, words) => {
  expect(roughDuration(milliseconds)).toBe(words);
});

test.each([
  [59_400, '59 s'],
  [59_900, '1 min'],
  [10_799_900, '3 h'],
  [10_740_000, '2 h'],
  [86_399_000, '1 d'],
])('two clocks that differ by %i ms differ by about %s', (milliseconds, words) => {
  expect(roughDifference(milliseconds)).toBe(words);
});
