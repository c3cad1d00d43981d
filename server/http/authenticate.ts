// Who is asking, from the bearer of the request. Only the event stream may carry it in the query, since a browser's
// EventSource cannot set a header.
import type { Socket } from 'node:net';
import type { Context } from 'koa';
import type { Caller, Visitor } from '../domain/accounts/caller.ts';
import { isWellFormedToken, tokenHash } from '../domain/accounts/token.ts';
import { clientKey, UNKNOWN_CLIENT } from '../domain/addresses.ts';
import { unauthorized } from '../domain/errors.ts';
import { MAX_BODIES_BYTES_PER_ADDRESS, MAX_BODIES_BYTES_PER_USER } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import { identifyHash } from '../operations/tokens/identify.ts';
import type { Sender } from './bodies/budget.ts';
import { isForwarded } from './forwarded.ts';

/** The caller of a request that needs a token. */
export async function authenticate(hub: Hub, ctx: Context, bearer = bearerOf(ctx)): Promise<Caller> {
  if (bearer === undefined) throw unauthorized();
  const hash = hashOf(ctx, bearer);
  const caller = hash && (await identifyHash(hub, hash, addressOf(ctx)));
  if (!caller) throw unauthorized('the token is unknown, revoked or over; log in again or ask for a new one');
  userIds.set(ctx, caller.user_id);
  return caller;
}

/** The caller as of now: while a body arrives, rights may change. */
export async function authenticateAgain<Asking extends Caller | Visitor>(
  hub: Hub,
  ctx: Context,
  asking: Asking,
): Promise<Asking | Caller> {
  return !('token_id' in asking) || isCurrent(hub, asking) ? asking : authenticate(hub, ctx);
}

function isCurrent(hub: Hub, { access_version: version, expires_at: end }: Caller): boolean {
  return version === hub.store.accessVersion() && (end === null || end === undefined || hub.clock.now() < end);
}

/** Whose request bodies are counted together: those of a user, and without a token those of an address. */
export function senderOf(asking: Caller | Visitor): Sender {
  if ('token_id' in asking) return { id: asking.user_id, max: MAX_BODIES_BYTES_PER_USER, kind: 'member' };
  return { id: clientKey(asking.ip), max: MAX_BODIES_BYTES_PER_ADDRESS, kind: 'stranger' };
}

/** Of the caller of this request, once it has been authenticated. */
export function userIdOf(ctx: Context): string | undefined {
  return userIds.get(ctx);
}

const userIds = new WeakMap<Context, string>();

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
  return { ip: addressOf(ctx), isForwarded: isForwarded(ctx.headers), ...(bearer !== undefined && { bearer }) };
}

/** Aborted when the client has left. A response that follows others on its connection shows that in no other way. */
export function goneOf({ socket }: Context): AbortSignal {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const gone = new AbortController();
  connections.set(socket, gone.signal);
  if (socket.destroyed) gone.abort();
  else socket.once('close', () => gone.abort());
  return gone.signal;
}

const connections = new WeakMap<Socket, AbortSignal>();

export function bearerOf(ctx: Context): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(ctx.get('authorization'))?.[1];
}

export function streamBearerOf(ctx: Context): string | undefined {
  const { token } = ctx.query;
  return bearerOf(ctx) ?? (typeof token === 'string' && token !== '' ? token : undefined);
}

/** For logs; limits count by `clientKey` of it. Never empty: a socket that is already closed has no address. */
export function addressOf(ctx: Context): string {
  return ctx.ip.slice(0, MAX_ADDRESS) || UNKNOWN_CLIENT;
}

// Behind a trusted proxy the address is text from a header, which is stored in the audit log.
const MAX_ADDRESS = 100;
