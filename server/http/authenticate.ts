// Authenticates a request by its bearer token. Only event streams accept the token in the query, because a browser's
// EventSource cannot set headers.
import type { Socket } from 'node:net';
import type { Context } from 'koa';
import type { Caller, Visitor } from '../domain/accounts/caller.ts';
import { isWellFormedToken, tokenHash } from '../domain/accounts/token.ts';
import { clientKey, UNKNOWN_CLIENT } from '../domain/addresses.ts';
import { unauthorized } from '../domain/errors.ts';
import { MAX_BODIES_BYTES_PER_ADDRESS, MAX_BODIES_BYTES_PER_USER } from '../domain/limits.ts';
import { orderOf } from '../domain/text/version-order.ts';
import type { Hub } from '../hub.ts';
import { identifyHash } from '../operations/tokens/identify.ts';
import type { Sender } from './bodies/budget.ts';
import { isForwarded } from './forwarded.ts';

/** Returns the caller of a request that needs a token. */
export async function authenticate(hub: Hub, ctx: Context, bearer = bearerOf(ctx)): Promise<Caller> {
  if (bearer === undefined) throw unauthorized();
  const hash = hashOf(ctx, bearer);
  const caller = hash && (await identifyHash(hub, hash, addressOf(ctx)));
  if (!caller) throw unauthorized('the token is unknown, revoked or expired; log in again or request a new token');
  userIds.set(ctx, caller.user_id);
  users.set(ctx.socket, caller.user_id);
  noteVersion(hub, ctx, caller);
  return caller;
}

const OWN_CLIENT = /^agenthub\/(\d{1,6}(?:\.\d{1,6}){2}(?:-[0-9A-Za-z.-]{1,30})?)$/;

/** Commands of agenthub send their version. One that is newer than the hub is a reason to upgrade the hub. */
function noteVersion({ version, newerClients, clock }: Hub, { headers }: Context, { username }: Caller): void {
  const [, used] = OWN_CLIENT.exec(headers['user-agent'] ?? '') ?? [];
  if (used !== undefined && used !== version && orderOf(used, version) === 'newer')
    newerClients.add(username, used, clock.now());
}

/** Returns the caller with current rights, which may change while a body arrives. */
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

const users = new WeakMap<Socket, string>();

/** The user of the last valid token on this connection. */
export function userOfSocket(socket: Socket): string | undefined {
  return users.get(socket);
}

/** Request bodies are counted per user, and without a token per address. */
export function senderOf(asking: Caller | Visitor): Sender {
  if ('token_id' in asking) return { id: asking.user_id, max: MAX_BODIES_BYTES_PER_USER, kind: 'authenticated' };
  return { id: clientKey(asking.ip), max: MAX_BODIES_BYTES_PER_ADDRESS, kind: 'anonymous' };
}

/** The user id of an authenticated request. */
export function userIdOf(ctx: Context): string | undefined {
  return userIds.get(ctx);
}

const userIds = new WeakMap<Context, string>();

/** Undefined for a malformed token. */
function hashOf(ctx: Context, bearer: string): string | undefined {
  const last = lastBearers.get(ctx.socket);
  if (last?.bearer === bearer) return last.hash;
  const hash = isWellFormedToken(bearer) ? tokenHash(bearer) : undefined;
  lastBearers.set(ctx.socket, { bearer, hash });
  return hash;
}

// A connection usually repeats the same bearer, so it is validated and hashed only when it changes.
const lastBearers = new WeakMap<Socket, { bearer: string; hash: string | undefined }>();

export function visitorOf(ctx: Context): Visitor {
  const bearer = bearerOf(ctx);
  return { ip: addressOf(ctx), isForwarded: isForwarded(ctx.headers), ...(bearer !== undefined && { bearer }) };
}

/** Aborted when the client disconnects. Only the socket shows this for a response that is pipelined behind others. */
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

/** For logs; limits use its `clientKey`. A closed socket has no address, so it falls back to `UNKNOWN_CLIENT`. */
export function addressOf(ctx: Context): string {
  return ctx.ip.slice(0, MAX_ADDRESS) || UNKNOWN_CLIENT;
}

// Behind a trusted proxy, the address is header text, and the audit log stores it.
const MAX_ADDRESS = 100;
