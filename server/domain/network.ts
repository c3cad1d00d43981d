// A network: an isolated group of agents and users, with roles.
import type { Millis } from './time/clock.ts';
import { timestamp } from './time/time.ts';

const NETWORK_ROLES = ['owner', 'member', 'viewer'] as const;
export type NetworkRole = (typeof NETWORK_ROLES)[number];

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
