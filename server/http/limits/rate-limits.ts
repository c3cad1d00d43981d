// The rate limits of register and login, counted separately per client address. At an address at its limit, users who
// have logged in from it before still may, so that others there cannot lock them out; `login` limits those itself.
// Requests at other hubs on the database count too.
// Memory is bounded: with too many addresses, the oldest are evicted.
import type { Context, Middleware } from 'koa';
import ratelimit from 'koa-ratelimit';
import MemoryLimiter from 'koa-ratelimit/limiter/memory.js';
import { clientKey } from '../../domain/addresses.ts';
import { LOGIN_PER_MINUTE, REGISTER_PER_MINUTE } from '../../domain/limits.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import { addressOf } from '../authenticate.ts';
import { answerRefusal } from '../json-response.ts';
import { BoundedMap } from './bounded-map.ts';

export type RateLimits = {
  register: Middleware;
  login: Middleware;
  /** Removes addresses whose window has ended; returns how many. */
  sweep(): number;
};

// A flood from changing addresses costs a few megabytes at most.
const MAX_ADDRESSES = 20_000;

/** `isExempt` is asked only about logins from an address at its limit. */
export function rateLimits(hub: CountingHub, isExempt: (ctx: Context) => Promise<boolean>): RateLimits {
  // The library never deletes the entry of an address, and limiters with the same Map share counters.
  const registers = new BoundedMap<string, unknown>(MAX_ADDRESSES);
  const logins = new BoundedMap<string, unknown>(MAX_ADDRESSES);
  return {
    register: perMinute(hub, REGISTER_PER_MINUTE, registers, 'registrations'),
    login: perMinute(hub, LOGIN_PER_MINUTE, logins, 'logins', isExempt),
    sweep: () => deleteExpired(registers) + deleteExpired(logins),
  };
}

type CountingHub = Pick<Hub, 'exchange'>;

function perMinute(
  { exchange }: CountingHub,
  max: number,
  db: Map<string, unknown>,
  what: string,
  isExempt: (ctx: Context) => Promise<boolean> = async () => false,
): Middleware {
  const options = { db, max, duration: MINUTE_MS };
  const tell = exchange.share(what, (id: string) => void new MemoryLimiter({ ...options, id }).get(), true);
  const limit = ratelimit({
    ...options,
    driver: 'memory',
    id: (ctx) => {
      const key = clientKey(addressOf(ctx));
      tell(key);
      return key;
    },
  });
  return async (ctx, next) => {
    let isLimited = true;
    await limit(ctx, () => {
      isLimited = false;
      roundReset(ctx);
      return next();
    });
    if (!isLimited) return;
    if (await isExempt(ctx)) return proceed(ctx, next);
    refuse(ctx, `at most ${max} ${what} per minute from one address; wait and try again`);
  };
}

// The library has prepared a refusal.
function proceed(ctx: Context, next: () => Promise<unknown>): Promise<unknown> {
  roundReset(ctx);
  ctx.remove('Retry-After');
  ctx.status = 200;
  return next();
}

// The library sets the reset time with microseconds.
function roundReset(ctx: Context): void {
  ctx.set('X-RateLimit-Reset', String(Math.ceil(Number(ctx.response.get('X-RateLimit-Reset')))));
}

// The library rounds Retry-After down, to 0 within the last second.
function refuse(ctx: Context, message: string): void {
  roundReset(ctx);
  const seconds = Number(ctx.response.get('Retry-After'));
  ctx.set('Retry-After', String(Math.max(1, seconds)));
  answerRefusal(ctx, { error: 'rate_limited', message });
}

// Uses the clock of the library: wall-clock time at process start plus monotonic time since.
function deleteExpired(entries: Map<string, unknown>): number {
  const now = performance.timeOrigin + performance.now();
  const expired = [...entries].filter(([, entry]) => resetOf(entry) * SECOND_MS < now);
  for (const [key] of expired) entries.delete(key);
  return expired.length;
}

function resetOf(entry: unknown): number {
  return typeof entry === 'object' && entry !== null && 'reset' in entry ? Number(entry.reset) : 0;
}
