// The rate limits of register and login: counted apart, per client address, in bounded memory. Where there are too many
// addresses, those that came first are forgotten.
import type { Context, Middleware } from 'koa';
import ratelimit from 'koa-ratelimit';
import { clientKey } from '../../domain/addresses.ts';
import { LOGIN_PER_MINUTE, REGISTER_PER_MINUTE } from '../../domain/limits.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time/time.ts';
import { addressOf } from '../authenticate.ts';
import { answerJson } from '../json-response.ts';
import { BoundedMap } from './bounded-map.ts';

export type RateLimits = {
  register: Middleware;
  login: Middleware;
  /** Removes addresses whose window has ended; returns how many. */
  sweep(): number;
};

// A flood from ever new addresses costs at most some megabytes.
const MAX_ADDRESSES = 20_000;

export function rateLimits(): RateLimits {
  // The library keeps one entry an address for ever and shares counters between limiters of one Map.
  const registers = new BoundedMap<string, unknown>(MAX_ADDRESSES);
  const logins = new BoundedMap<string, unknown>(MAX_ADDRESSES);
  return {
    register: perMinute(REGISTER_PER_MINUTE, registers, 'registrations'),
    login: perMinute(LOGIN_PER_MINUTE, logins, 'logins'),
    sweep: () => forget(registers) + forget(logins),
  };
}

function perMinute(max: number, db: Map<string, unknown>, what: string): Middleware {
  const limit = ratelimit({
    driver: 'memory',
    db,
    max,
    duration: MINUTE_MS,
    id: (ctx) => clientKey(addressOf(ctx)),
  });
  return async (ctx, next) => {
    let isLimited = true;
    await limit(ctx, () => ((isLimited = false), wholeSeconds(ctx), next()));
    if (isLimited) refuse(ctx, `at most ${max} ${what} per minute from one address; wait and try again`);
  };
}

// The library gives the moment of reset to the microsecond.
function wholeSeconds(ctx: Context): void {
  ctx.set('X-RateLimit-Reset', String(Math.ceil(Number(ctx.response.get('X-RateLimit-Reset')))));
}

// The library rounds Retry-After down, to 0 within the last second.
function refuse(ctx: Context, message: string): void {
  wholeSeconds(ctx);
  const seconds = Number(ctx.response.get('Retry-After'));
  ctx.set('Retry-After', String(Math.max(1, seconds)));
  answerJson(ctx, { error: 'rate_limited', message });
}

// By the clock of the library: the wall clock at the start of the process, and monotonic from there.
function forget(entries: Map<string, unknown>): number {
  const now = performance.timeOrigin + performance.now();
  const over = [...entries].filter(([, entry]) => resetOf(entry) * SECOND_MS < now);
  for (const [key] of over) entries.delete(key);
  return over.length;
}

function resetOf(entry: unknown): number {
  return typeof entry === 'object' && entry !== null && 'reset' in entry ? Number(entry.reset) : 0;
}
