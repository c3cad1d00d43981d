// Who is asking, from the bearer of the request. Only the event stream may carry it in the query, since a browser's
// EventSource cannot set a header.
import type { Context } from 'koa';
import type { Caller, Visitor } from '../domain/caller.ts';
import { unauthorized } from '../domain/errors.ts';
import type { Hub } from '../hub.ts';
import { identify } from '../operations/tokens/identify.ts';

/** The caller of a request that needs a token. */
export async function authenticate(hub: Hub, ctx: Context, bearer = bearerOf(ctx)): Promise<Caller> {
  if (bearer === undefined) throw unauthorized();
  const caller = await identify(hub, bearer, addressOf(ctx));
  if (caller === undefined) throw unauthorized('the token is unknown, revoked or over; log in again or ask for a new one');
  return caller;
}

export function visitorOf(ctx: Context): Visitor {
  const bearer = bearerOf(ctx);
  return { ip: addressOf(ctx), ...(bearer !== undefined && { bearer }) };
}

export function bearerOf(ctx: Context): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(ctx.get('authorization'))?.[1];
}

export function streamBearerOf(ctx: Context): string | undefined {
  const { token } = ctx.query;
  return bearerOf(ctx) ?? (typeof token === 'string' && token !== '' ? token : undefined);
}

/** Never empty: a socket that is already closed has no address. */
export function addressOf(ctx: Context): string {
  return ctx.ip || 'unknown';
}
