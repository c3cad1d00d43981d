// Who is asking, from the bearer of the request. Only the event stream may carry it in the query, since a browser's
// EventSource cannot set a header.
import type { Socket } from 'node:net';
import type { Context } from 'koa';
import type { Caller, Visitor } from '../domain/caller.ts';
import { unauthorized } from '../domain/errors.ts';
import { isWellFormedToken, tokenHash } from '../domain/token.ts';
import type { Hub } from '../hub.ts';
import { identifyHash } from '../operations/tokens/identify.ts';

/** The caller of a request that needs a token. */
export async function authenticate(hub: Hub, ctx: Context, bearer = bearerOf(ctx)): Promise<Caller> {
  if (bearer === undefined) throw unauthorized();
  const hash = hashOf(ctx, bearer);
  const caller = hash && (await identifyHash(hub, hash, addressOf(ctx)));
  if (!caller) throw unauthorized('the token is unknown, revoked or over; log in again or ask for a new one');
  return caller;
}

/** Undefined for a bearer that is no token. */
function hashOf(ctx: Context, bearer: string): string | undefined {
  const last = lastBearers.get(ctx.socket);
  if (last?.bearer === bearer) return last.hash;
  const hash = isWellFormedToken(bearer) ? tokenHash(bearer) : undefined;
  lastBearers.set(ctx.socket, { bearer, hash });
  return hash;
}

// A connection brings the same bearer again and again: it is checked and hashed when it changes.
const lastBearers = new WeakMap<Socket, { bearer: string; hash: string | undefined }>();

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
