// Turns a bearer into the caller it stands for at this moment.
import type { Caller, Membership } from '../../domain/caller.ts';
import { isWellFormedToken, tokenHash } from '../../domain/token.ts';
import type { Hub } from '../../hub.ts';
import type { Reader } from '../../store/database.ts';
import * as members from '../../store/members.ts';
import * as tokens from '../../store/tokens.ts';

/** Undefined for a token that is mistyped, unknown, revoked, over, or of somebody no longer in its network. */
export async function identify(hub: Hub, bearer: string, ip: string): Promise<Caller | undefined> {
  if (!isWellFormedToken(bearer)) return undefined;
  return hub.store.read(async (reader) => {
    const found = await tokens.findBearer(reader, tokenHash(bearer));
    if (found === undefined || isOver(found, reader.now)) return undefined;
    const memberships = await membershipsOf(reader, found);
    if (memberships === undefined) return undefined;
    hub.marks.used(found.token_id, found.last_used_at, reader.now);
    return {
      ip, memberships, token_id: found.token_id, token_kind: found.kind,
      user_id: found.user_id, username: found.username, system_role: found.system_role,
    };
  });
}

function isOver(bearer: tokens.Bearer, now: number): boolean {
  return bearer.expires_at !== null && now >= bearer.expires_at;
}

async function membershipsOf(reader: Reader, bearer: tokens.Bearer): Promise<readonly Membership[] | undefined> {
  if (bearer.kind === 'user') return members.listOfUser(reader, bearer.user_id);
  if (bearer.network_id === null || bearer.role === null) return undefined;
  return [{ network_id: bearer.network_id, role: bearer.role, trial_ends_at: bearer.trial_ends_at }];
}
