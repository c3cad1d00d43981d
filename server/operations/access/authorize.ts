// Authorizes a caller for an operation's kind of access and adds the networks it applies to.
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
import * as networks from '../../store/networks.ts';

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
