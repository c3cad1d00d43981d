// The checkups that `agenthub doctor` has announced. Each code opens, once and within a minute, a stream that shows how
// the hub saw the request. Only the owner of the data directory can create codes.
import type { Millis } from '../domain/time/clock.ts';
import { MINUTE_MS } from '../domain/time/time.ts';

export type Checkups = {
  expect(code: string, now: Millis): void;
  /** Whether this code was expected; a code works once. */
  take(code: string, now: Millis): boolean;
};

const MAX_EXPECTED = 100;

export function openCheckups(): Checkups {
  const expected = new Map<string, Millis>();
  return {
    expect: (code, now) => {
      if (expected.size >= MAX_EXPECTED) expected.clear();
      expected.set(code, now);
    },
    take: (code, now) => {
      const since = expected.get(code);
      expected.delete(code);
      return since !== undefined && now - since < MINUTE_MS;
    },
  };
}
