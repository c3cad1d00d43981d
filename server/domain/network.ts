// A network: an isolated group of agents and users, with roles and what each role may do. The console reads the roles
// too.
import type { Millis } from './time/clock.ts';
import { timestamp } from './time/time.ts';

const NETWORK_ROLES = ['owner', 'member', 'viewer'] as const;
export type NetworkRole = (typeof NETWORK_ROLES)[number];

/** The roles an invite or the owner can give. */
export const INVITE_ROLES = ['member', 'viewer'] as const satisfies readonly NetworkRole[];
export type InviteRole = (typeof INVITE_ROLES)[number];

const ROLES_THAT = {
  read: ['owner', 'member', 'viewer'],
  write: ['owner', 'member'],
} as const satisfies Record<'read' | 'write', readonly NetworkRole[]>;

export function may(role: NetworkRole, action: 'read' | 'write'): boolean {
  return ROLES_THAT[action].some((allowed) => allowed === role);
}

export type Network = {
  network_id: string;
  network_name: string;
  owner_id: string;
  visibility: 'private';
  max_members: number;
  description: string;
  created_at: Millis;
  trial_ends_at: Millis | null;
};

export type NetworkRecord = {
  network_id: string;
  network_name: string;
  owner_id: string;
  member_role: NetworkRole | null;
  visibility: 'private';
  max_members: number;
  created_at: string;
};

export function networkRecord(network: Network, memberRole: NetworkRole | null): NetworkRecord {
  return {
    network_id: network.network_id,
    network_name: network.network_name,
    owner_id: network.owner_id,
    member_role: memberRole,
    visibility: network.visibility,
    max_members: network.max_members,
    created_at: timestamp(network.created_at),
  };
}
