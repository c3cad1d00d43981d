// The outermost middleware: assigns a request id, counts the request and logs it. A log line contains the route pattern
// and never the path, the query or anything the client sent.
import type { Context, Middleware } from 'koa';
import { REQUESTS_LOGGED_A_MINUTE } from '../domain/limits.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/time/time.ts';
import { countRequest, noteSlow, type SlowRequest } from '../events/metrics.ts';
import type { Hub } from '../hub.ts';
import { addressOf } from './authenticate.ts';
import { statusOf } from './error-statuses.ts';
import { errorOf } from './json-response.ts';

const HEADER = 'X-Request-Id';
const ID_LENGTH = 12; // random, because sequential ids would reveal the activity of others

export function logRequests(hub: Hub): Middleware {
  const levelOf = levels(hub);
  return async (ctx, next) => {
    const start = performance.now();
    const sent = ctx.socket.bytesWritten;
    ctx.res.setHeader(HEADER, saneId(ctx.headers['x-request-id']) ?? hub.ids.word(ID_LENGTH));
    await next();
    const seconds = (performance.now() - start) / SECOND_MS;
    countRequest(hub.metrics, ctx.method, routeOf(ctx), ctx.status, seconds);
    // A stream or a wait takes as long as its client wants.
    if (ctx.respond !== false) {
      noteSlow(hub.metrics, hub.clock.now(), Math.round(seconds * SECOND_MS), () => factsOf(ctx));
    }
    // A late response may be refused yet.
    if (ctx.respond === false) return logAtEnd(hub, ctx, () => levelOf(ctx, seconds), start, sent);
    const level = levelOf(ctx, seconds);
    if (level !== undefined) logAtEnd(hub, ctx, () => level, start, sent);
  };
}

function factsOf(ctx: Context): Omit<SlowRequest, 'at' | 'ms'> {
  const { method, status } = ctx;
  return { request_id: requestIdOf(ctx), method, route: routeOf(ctx), status };
}

/** The id in the response header and in every log line about the request. */
export function requestIdOf(ctx: Context): string {
  return ctx.response.get(HEADER);
}

/** The route pattern, such as `/api/tasks/:task_id`; `(console)` or `(none)` when no route matches. */
export function routeOf(ctx: Context): string {
  const pattern: unknown = ctx._matchedRoute;
  if (typeof pattern === 'string') return pattern;
  return ctx.status < 400 ? '(console)' : '(none)';
}

// A proxy or client may send an id, if it cannot be mistaken for anything else in a log line.
function saneId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\w.:/+=@-]{1,128}$/.test(given) ? given : undefined;
}

/** Its probes repeat every few seconds what the log has already: the trouble that makes them fail. */
const READINESS = '/health/ready';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Returns the log level of a request; undefined when it is not logged. */
function levels(hub: Hub): (ctx: Context, seconds: number) => Level | undefined {
  const atDebug = (): Level | undefined => (hub.log.isLevelEnabled('debug') ? 'debug' : undefined); // SIGHUP may change it
  const mayLogRefusal = boundLines(hub, 'requests refused');
  const mayLogSlow = boundLines(hub, 'requests took more than a second');
  return (ctx, seconds) => {
    const status = statusFor(ctx);
    if (status === 500) return 'error';
    const isSlow = seconds > 1;
    if (routeOf(ctx) === READINESS) return atDebug();
    if (isSlow && status < 400 && mayLogSlow()) return 'warn';
    if (status >= 400 && mayLogRefusal()) return status > 500 || isSlow ? 'warn' : 'info';
    return atDebug();
  };
}

/** For a refusal over MCP, whose HTTP status can be 200, the status that it has over REST. */
function statusFor(ctx: Context): number {
  const error = errorOf(ctx);
  if (error === undefined || ctx.status >= 400) return ctx.status;
  return typeof error === 'string' ? statusOf(error) : 400;
}

// Clients can cause refused and slow requests at any rate and must not fill the disk with log lines.
function boundLines(hub: Hub, what: string): () => boolean {
  let minute = 0;
  let count = 0;
  return () => {
    const present = Math.floor(hub.clock.now() / MINUTE_MS);
    count = present === minute ? count + 1 : 1;
    minute = present;
    if (count === REQUESTS_LOGGED_A_MINUTE)
      hub.log.warn({}, `${count} ${what} in this minute; further ones are logged at level debug only`);
    return count <= REQUESTS_LOGGED_A_MINUTE;
  };
}

// Logs after the last byte: a stream is logged when it ends. A late response gets its status only then.
function logAtEnd(hub: Hub, ctx: Context, levelOf: () => Level | undefined, start: number, sent: number): void {
  const { res: response, socket } = ctx;
  const fields = { request_id: requestIdOf(ctx), method: ctx.method, route: routeOf(ctx), ip: addressOf(ctx) };
  response.once('close', () => {
    const level = levelOf();
    if (level === undefined) return;
    const length = response.getHeader('content-length');
    const bytes = length === undefined ? socket.bytesWritten - sent : Number(length);
    const status = response.statusCode;
    const error = errorOf(ctx);
    const result = { status, ...(error !== undefined && { error }), ms: Math.round(performance.now() - start) };
    hub.log[level]({ ...fields, ...result, bytes }, 'request');
  });
}
