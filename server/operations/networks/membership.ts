// Guards for operations on a network itself. Each reads the role inside the transaction it guards.
import type { Caller } from '../../domain/accounts/caller.ts';
import { noSuchMember, noSuchNetwork, notAMember, ownerCannotChange, ownerOnly } from '../../domain/errors.ts';
import type { Network, NetworkRole } from '../../domain/network.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as members from '../../store/members.ts';
import * as networks from '../../store/networks.ts';

export type NetworkWithRole = { network: Network; role: NetworkRole | null };

/** Returns the network to its members and to system admins; an admin who is not a member has no role. */
export async function getForReading(reader: Reader, caller: Caller, networkId: string): Promise<NetworkWithRole> {
  const network = await networks.find(reader, networkId);
  if (network === undefined) throw noSuchNetwork();
  const role = (await members.findRole(reader, networkId, caller.user_id)) ?? null;
  if (role === null && caller.system_role !== 'admin') throw notAMember();
  return { network, role };
}

export async function getAsMember(
  reader: Reader,
  caller: Caller,
  networkId: string,
): Promise<{ network: Network; role: NetworkRole }> {
  const { network, role } = await getForReading(reader, caller, networkId);
  if (role === null) throw notAMember();
  return { network, role };
}

export async function getAsOwner(reader: Reader, caller: Caller, networkId: string): Promise<Network> {
  const { network, role } = await getAsMember(reader, caller, networkId);
  if (role !== 'owner') throw ownerOnly();
  return network;
}

/** Throws for the owner, whose membership cannot change. */
export async function assertBelowOwner(reader: Reader, networkId: string, userId: string): Promise<void> {
  const role = await members.findRole(reader, networkId, userId);
  if (role === undefined) throw noSuchMember();
  if (role === 'owner') throw ownerCannotChange();
}
