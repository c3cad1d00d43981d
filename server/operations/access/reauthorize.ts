// Rights may end between the look at a bearer and what is done in its name. A write looks again inside its transaction,
// and what stays open is told the moment a right is revoked.
import { type Caller, networksOf, type Opener } from '../../domain/accounts/caller.ts';
import { assertMayWrite } from '../../domain/accounts/permissions.ts';
import { notAMember, unauthorized, unavailable } from '../../domain/errors.ts';
import type { NetworkRole } from '../../domain/network.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as members from '../../store/members.ts';
import * as tokens from '../../store/tokens.ts';
import { identifyHash } from '../tokens/identify.ts';

/** The hub with a store whose writes begin by asking whether the caller still may. */
export function withReauthorization(hub: Hub, caller: Caller & { network_id?: string }): Hub {
  const write: Hub['store']['write'] = (work, scope) =>
    hub.store.write(async (tx) => {
      if (!isCurrent(tx, caller)) await assertStillMay(tx, caller);
      return work(tx);
    }, scope);
  return { ...hub, store: { ...hub.store, write } };
}

function isCurrent(tx: Transaction, { access_version }: Caller): boolean {
  return access_version === undefined || access_version === tx.accessVersion();
}

async function assertStillMay(tx: Transaction, caller: Caller & { network_id?: string }): Promise<void> {
  if (!(await tokens.isKnown(tx, caller.token_id))) throw unauthorized('the token was just revoked');
  if (caller.network_id === undefined) return;
  const role = await members.findRole(tx, caller.network_id, caller.user_id);
  if (role === undefined)
    throw caller.token_kind === 'network'
      ? unauthorized('the token is of somebody who just left its network')
      : notAMember();
  assertMayWrite(role);
}

/** What became of the rights that something was opened with. */
export type Standing = 'kept' | 'role changed' | 'network lost' | 'token lost';

/**
 * Watches the rights that something is opened with, and calls `end` once they are taken. Rights that changed since the
 * caller was read are looked up again, behind the watch, so that no change falls between. Unless they are kept, nothing
 * is watched.
 */
export async function watchRights(
  hub: Hub,
  opener: Opener,
  end: () => void,
): Promise<{ standing: Standing; stop: () => void }> {
  let isOpen = false;
  let isAnnounced = false;
  const stop = hub.revocations.watch(opener, () => {
    if (isOpen) end();
    else isAnnounced = true;
  });
  let standing = isStale(hub, opener) ? await standingOf(hub, opener) : 'kept';
  if (isAnnounced && standing === 'kept') standing = await standingSince(hub, opener);
  isOpen = standing === 'kept';
  if (!isOpen) stop();
  return { standing, stop };
}

function isStale(hub: Hub, { access_version }: Opener): boolean {
  return access_version !== undefined && access_version !== hub.store.accessVersion();
}

// What was announced has ended the watch: where the rights are there after all, it is to be opened again.
async function standingSince(hub: Hub, opener: Opener): Promise<Standing> {
  const standing = await standingOf(hub, opener);
  return standing === 'kept' ? 'role changed' : standing;
}

/** By the rights of this moment. */
export async function standingOf(hub: Hub, opener: Opener): Promise<Standing> {
  const now = opener.token_hash === undefined ? undefined : await identifyHash(hub, opener.token_hash, opener.ip);
  if (now === undefined) return 'token lost';
  const networks = networksOf(opener);
  const readable = networks.filter((network) => mayStillRead(opener, now, network));
  if (readable.length === 0 && networks.length > 0) return 'network lost';
  // If only some of the caller's networks are gone, opening it again gives the others.
  const isUnchanged = networks.every(
    (network) => readable.includes(network) && roleIn(opener, network) === roleIn(now, network),
  );
  return isUnchanged ? 'kept' : 'role changed';
}

/** A network that the opener was no member of was opened as a system admin. */
function mayStillRead(opener: Opener, now: Caller, network: string): boolean {
  if (roleIn(now, network) !== undefined) return true;
  return roleIn(opener, network) === undefined && now.system_role === 'admin';
}

function roleIn({ memberships }: Caller, network: string): NetworkRole | undefined {
  return memberships.find(({ network_id }) => network_id === network)?.role;
}

/** Refuses what was to be opened with rights that are not as they were. */
export function assertKept(standing: Standing): void {
  if (standing === 'token lost') throw unauthorized('the token was just revoked');
  if (standing === 'network lost') throw notAMember();
  if (standing === 'role changed') throw unavailable('your rights just changed; try again');
}
