// Authorizes a caller for an operation's kind of access and adds the networks it applies to. Access may end before the
// operation writes, so a write checks it again inside its transaction.
import type { Caller, Membership, NetworkReader, NetworkWriter, Visitor } from '../../domain/accounts/caller.ts';
import { type Access, assertMayWrite } from '../../domain/accounts/permissions.ts';
import {
  invalidInput,
  noSuchNetwork,
  notAMember,
  permissionDenied,
  unauthorized,
  userTokenRequired,
} from '../../domain/errors.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as members from '../../store/members.ts';
import * as networks from '../../store/networks.ts';
import * as tokens from '../../store/tokens.ts';

export async function authorize(
  access: Access,
  hub: Hub,
  asking: Caller | Visitor,
  input: object,
): Promise<Caller | Visitor> {
  if (access === 'public') return asking;
  if (!('token_id' in asking)) throw unauthorized();
  if (access === 'account') return requireUserToken(asking);
  const requested = requestedNetwork(input);
  return access === 'read' ? asReader(hub, asking, requested) : asWriter(hub, asking, requested);
}

function requireUserToken(caller: Caller): Caller {
  if (caller.token_kind !== 'user') throw userTokenRequired();
  return caller;
}

export function requestedNetwork(input: object): string | undefined {
  return 'network_id' in input && typeof input.network_id === 'string' ? input.network_id : undefined;
}

async function asReader(hub: Hub, caller: Caller, requested: string | undefined): Promise<NetworkReader> {
  if (requested === undefined) {
    const seen = caller.memberships;
    return {
      ...caller,
      networks: seen.map(({ network_id }) => network_id),
      asViewer: seen.every(({ role }) => role === 'viewer'),
    };
  }
  const membership = membershipIn(caller, requested) ?? (await asAdminOf(hub, caller, requested));
  return { ...caller, networks: [requested], asViewer: membership.role === 'viewer' };
}

// A system admin may read any network.
async function asAdminOf(hub: Hub, caller: Caller, requested: string): Promise<Membership> {
  await assertKnown(hub, caller, requested);
  if (caller.system_role !== 'admin') throw notAMember();
  return { network_id: requested, role: 'viewer', trial_ends_at: null };
}

async function asWriter(hub: Hub, caller: Caller, requested: string | undefined): Promise<NetworkWriter> {
  const membership = requested === undefined ? onlyMembership(caller) : membershipIn(caller, requested);
  if (membership === undefined) {
    await assertKnown(hub, caller, requested ?? '');
    throw notAMember();
  }
  assertMayWrite(membership.role);
  return { ...caller, ...membership };
}

function onlyMembership(caller: Caller): Membership {
  const [only, ...others] = caller.memberships;
  if (only === undefined || others.length > 0) {
    throw invalidInput(`network_id is required: you belong to ${caller.memberships.length} networks`);
  }
  return only;
}

function membershipIn(caller: Caller, networkId: string): Membership | undefined {
  const membership = caller.memberships.find(({ network_id }) => network_id === networkId);
  if (membership === undefined && caller.token_kind === 'network') {
    throw permissionDenied('network_id is not the network of this token; leave it out');
  }
  return membership;
}

async function assertKnown(hub: Hub, caller: Caller, networkId: string): Promise<void> {
  if (caller.memberships.some(({ network_id }) => network_id === networkId)) return;
  const network = await hub.store.read((reader) => networks.find(reader, networkId));
  if (network === undefined) throw noSuchNetwork();
}

/** Checks in a write that the caller still has the access the call was authorized with. */
export async function reauthorize(tx: Transaction, caller: Caller & { network_id?: string }): Promise<void> {
  if (!isCurrent(tx, caller)) await assertStillMay(tx, caller);
}

function isCurrent(tx: Transaction, { access_version }: Caller): boolean {
  return access_version === undefined || access_version === tx.accessVersion();
}

async function assertStillMay(tx: Transaction, caller: Caller & { network_id?: string }): Promise<void> {
  if (!(await tokens.isKnown(tx, caller.token_id))) throw unauthorized('the token has been revoked');
  if (caller.network_id === undefined) return;
  const role = await members.findRole(tx, caller.network_id, caller.user_id);
  if (role === undefined)
    throw caller.token_kind === 'network'
      ? unauthorized('the user of this token is no longer a member of its network')
      : notAMember();
  assertMayWrite(role);
}
