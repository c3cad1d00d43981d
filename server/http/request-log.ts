// One debug line a request, never with a query string, which may hold a token; a warning for a slow one.
import type { Middleware } from 'koa';
import { SECOND_MS } from '../domain/time.ts';
import type { Hub } from '../hub.ts';

export function logRequests(hub: Hub): Middleware {
  const isDebugging = hub.log.isLevelEnabled('debug');
  return async (ctx, next) => {
    const start = performance.now();
    await next();
    const milliseconds = Math.round(performance.now() - start);
    if (milliseconds <= SECOND_MS && !isDebugging) return;
    const fields = { method: ctx.method, path: ctx.path, status: ctx.status, ms: milliseconds, ip: ctx.ip };
    if (milliseconds > SECOND_MS) hub.log.warn(fields, 'slow request');
    else hub.log.debug(fields, 'request');
  };
}
