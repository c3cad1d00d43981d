// The visits the operator has announced: each code opens, once and within a minute, a stream that tells how the hub saw
// the request that brought it. Codes are made only for who holds the data directory.
import type { Millis } from '../domain/time/clock.ts';
import { MINUTE_MS } from '../domain/time/time.ts';

export type Checkups = {
  expect(code: string, now: Millis): void;
  /** Whether this code was expected; it is used up. */
  take(code: string, now: Millis): boolean;
};

const MAX_EXPECTED = 100;

export function expectCheckups(): Checkups {
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
