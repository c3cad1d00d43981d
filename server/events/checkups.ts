// The checkups that `agenthub doctor` has announced. Each code opens, once and within a minute, a stream that shows how
// the hub saw the request. Only the owner of the data directory can create codes. A balancer may lead to another hub on
// the same database, so hubs tell each other the codes.
import type { Millis } from '../domain/time/clock.ts';
import { MINUTE_MS } from '../domain/time/time.ts';
import type { Exchange } from './exchange.ts';

export type Checkups = {
  expect(code: string, now: Millis): void;
  /** Whether this code was expected; a code works once. */
  take(code: string, now: Millis): boolean;
};

const MAX_EXPECTED = 100;

export function openCheckups(exchange: Exchange): Checkups {
  const expected = new Map<string, Millis>();
  const expectHere = (code: string, now: Millis): void => {
    if (expected.size >= MAX_EXPECTED) expected.clear();
    expected.set(code, now);
  };
  const tell = exchange.share('checkups', expectHere);
  return {
    expect: (code, now) => {
      expectHere(code, now);
      tell(code, now);
    },
    take: (code, now) => {
      const since = expected.get(code);
      expected.delete(code);
      return since !== undefined && now - since < MINUTE_MS;
    },
  };
}
