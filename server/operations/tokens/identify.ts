// Resolves a bearer token to its caller. Callers are cached until any access right changes, which the store announces
// before the change is acknowledged, so revoked access ends with that response.
import type { Caller, Membership } from '../../domain/accounts/caller.ts';
import { isWellFormedToken, tokenHash } from '../../domain/accounts/token.ts';
import type { Millis } from '../../domain/time/clock.ts';
import type { CachedCaller } from '../../events/caller-cache.ts';
import type { Hub } from '../../hub.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as members from '../../store/members.ts';
import * as tokens from '../../store/tokens.ts';
import * as wholeHub from '../../store/whole-hub.ts';

/** Returns undefined if the token is malformed, unknown, revoked or expired, or if its user has left its network. */
export async function identify(hub: Hub, bearer: string, ip: string): Promise<Caller | undefined> {
  return isWellFormedToken(bearer) ? identifyHash(hub, tokenHash(bearer), ip) : undefined;
}

/** The same, given the hash of a well-formed token. */
export async function identifyHash(hub: Hub, hash: string, ip: string): Promise<Caller | undefined> {
  const now = hub.clock.now();
  const known =
    unlessExpired(hub.callerCache.find(hash, hub.store.accessVersion()), now) ??
    unlessExpired(await lookUp(hub, hash), now);
  if (known === undefined) return undefined;
  if (hub.writeBehind.used(known.caller, known.last_used_at, now)) known.last_used_at = now;
  return { ...known.caller, ip, token_hash: hash, access_version: known.accessVersion, expires_at: known.expires_at };
}

/** Each use extends a user token, so a cached one that seems expired is looked up again. */
function unlessExpired(known: CachedCaller | undefined, now: Millis): CachedCaller | undefined {
  return known === undefined || (known.expires_at !== null && now >= known.expires_at) ? undefined : known;
}

// Each token is its own tenant, so no lookup waits behind those of others.
async function lookUp(hub: Hub, hash: string): Promise<CachedCaller | undefined> {
  const known = await hub.store.read((reader) => read(reader, hash), { tenant: hash, networks: [] });
  if (known !== undefined) hub.callerCache.keep(hash, known);
  return known;
}

async function read(reader: Reader, hash: string): Promise<CachedCaller | undefined> {
  const found = await tokens.findBearer(reader, hash);
  const memberships = found && (await membershipsOf(reader, found));
  if (found === undefined || memberships === undefined) return undefined;
  const { token_id, kind: token_kind, user_id, username, system_role } = found;
  return {
    token_id,
    last_used_at: found.last_used_at,
    expires_at: found.expires_at,
    accessVersion: await wholeHub.accessVersion(reader),
    caller: { memberships, token_id, token_kind, user_id, username, system_role },
  };
}

async function membershipsOf(reader: Reader, bearer: tokens.Bearer): Promise<readonly Membership[] | undefined> {
  if (bearer.kind === 'user') return members.listOfUser(reader, bearer.user_id);
  if (bearer.network_id === null || bearer.role === null) return undefined;
  return [{ network_id: bearer.network_id, role: bearer.role, trial_ends_at: bearer.trial_ends_at }];
}
