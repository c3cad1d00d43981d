// The error handler of REST: every error becomes `{error, message}` with its status, never with a stack, a path or SQL.
import type { Context, Middleware } from 'koa';
import { HubError, invalidInput, TryLater } from '../domain/errors.ts';
import type { Hub } from '../hub.ts';
import { discardBody } from './bodies/read-body.ts';
import { statusOf } from './error-statuses.ts';
import { answerRefusal } from './json-response.ts';
import { requestIdOf, routeOf } from './request-log.ts';

export function answerErrors(hub: Hub): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      answerError(hub, ctx, error);
    }
    discardBody(ctx);
  };
}

function answerError(hub: Hub, ctx: Context, error: unknown): void {
  const known = asHubError(error);
  if (known === undefined)
    hub.log.error(
      { err: error, request_id: requestIdOf(ctx), method: ctx.method, route: routeOf(ctx) },
      'request failed',
    );
  const { code, message } =
    known ?? new HubError('internal_error', 'an internal error occurred; see the hub log for details');
  ctx.status = statusOf(code);
  answerRefusal(ctx, { error: code, message });
  if (code === 'unauthorized') ctx.set('WWW-Authenticate', challenge(ctx));
  if (ctx.status === 408) ctx.set('Connection', 'close'); // the rest of the body would be just as slow
  if (known instanceof TryLater) ctx.set('Retry-After', String(known.retryAfterSeconds));
}

// RFC 6750: `invalid_token` only if the request has credentials.
function challenge(ctx: Context): string {
  return `Bearer realm="agenthub"${ctx.get('authorization') === '' ? '' : ', error="invalid_token"'}`;
}

function asHubError(error: unknown): HubError | undefined {
  if (error instanceof HubError) return error;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return status === 400 ? invalidInput('the request could not be read') : undefined;
}
