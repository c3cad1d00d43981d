// Access may end while a stream or a wait is open: it is notified as soon as its access is revoked.
import { type Caller, networksOf, type Opener } from '../../domain/accounts/caller.ts';
import { notAMember, unauthorized, unavailable } from '../../domain/errors.ts';
import type { NetworkRole } from '../../domain/network.ts';
import type { Hub } from '../../hub.ts';
import { identifyHash } from '../tokens/identify.ts';

/** How the current access compares with the access a stream or wait was opened with. */
export type AccessState = 'kept' | 'role changed' | 'network lost' | 'token lost';

/**
 * Watches the access that a stream or wait is opened with, and calls `end` once it is revoked. If access changed since
 * the caller was read, it is looked up again after the watch starts, so that no change is missed. Nothing is watched
 * unless the access is `kept`.
 */
export async function watchAccess(
  hub: Hub,
  opener: Opener,
  end: () => void,
): Promise<{ state: AccessState; stop: () => void }> {
  let isOpen = false;
  let isAnnounced = false;
  const stop = hub.revocations.watch(opener, () => {
    if (isOpen) end();
    else isAnnounced = true;
  });
  let state = isStale(hub, opener) ? await accessStateOf(hub, opener) : 'kept';
  if (isAnnounced && state === 'kept') state = await accessStateSince(hub, opener);
  isOpen = state === 'kept';
  if (!isOpen) stop();
  return { state, stop };
}

/** Ends the streams and waits whose access another hub has changed. */
export async function endForeignRevoked(hub: Hub): Promise<void> {
  await hub.revocations.verify(
    async (opener) => !isStale(hub, opener) || (await accessStateOf(hub, opener)) === 'kept',
  );
}

/** Whether access may have changed since the caller was read. */
export function isStale(hub: Hub, { access_version }: Opener): boolean {
  return access_version !== undefined && access_version !== hub.store.accessVersion();
}

// The announcement has ended the watch, so the stream must be reopened even if access is restored.
async function accessStateSince(hub: Hub, opener: Opener): Promise<AccessState> {
  const state = await accessStateOf(hub, opener);
  return state === 'kept' ? 'role changed' : state;
}

/** Compares with the access the caller has now. */
export async function accessStateOf(hub: Hub, opener: Opener): Promise<AccessState> {
  const now = opener.token_hash === undefined ? undefined : await identifyHash(hub, opener.token_hash, opener.ip);
  if (now === undefined) return 'token lost';
  const networks = networksOf(opener);
  const readable = networks.filter((network) => mayStillRead(opener, now, network));
  if (readable.length === 0 && networks.length > 0) return 'network lost';
  // If only some of the caller's networks are gone, reopening serves the others.
  const isUnchanged = networks.every(
    (network) => readable.includes(network) && roleIn(opener, network) === roleIn(now, network),
  );
  return isUnchanged ? 'kept' : 'role changed';
}

/** A network that the opener was not a member of was opened as a system admin. */
function mayStillRead(opener: Opener, now: Caller, network: string): boolean {
  if (roleIn(now, network) !== undefined) return true;
  return roleIn(opener, network) === undefined && now.system_role === 'admin';
}

function roleIn({ memberships }: Caller, network: string): NetworkRole | undefined {
  return memberships.find(({ network_id }) => network_id === network)?.role;
}

/** Throws unless the access is unchanged. */
export function assertKept(state: AccessState): void {
  if (state === 'token lost') throw unauthorized('the token has been revoked');
  if (state === 'network lost') throw notAMember();
  if (state === 'role changed') throw unavailable('your access has just changed; try again');
}
