// The numbers of all networks, kept in memory. The version of the access rights changes with every network that is
// created or removed, so it tells whether they must be read again.
import type { NetworkSeqs } from '../network-seqs.ts';
import type { Statements } from './connection/statements.ts';

type Network = { network_id: string; network_seq: number };

export type KnownNetworks = {
  of: NetworkSeqs['of'];
  /** The version of the access rights up to which they are known. */
  version(): number;
  /** Brings the numbers up to date with a version of the access rights. */
  follow(statements: Statements, accessVersion: number): Promise<void>;
  /** A copy for one transaction, which may create networks. */
  fork(): Pick<NetworkSeqs, 'of'> & { read(statements: Statements): Promise<void> };
};

export function openKnownNetworks(): KnownNetworks {
  const known = new Map<string, number>();
  let latest = 0;
  let version = -1;
  return {
    of: (networkId) => known.get(networkId) ?? null,
    version: () => version,
    follow: async (statements, accessVersion) => {
      if (accessVersion <= version) return;
      for (const { network_id, network_seq } of await statements.all<Network>(ADDED, [latest])) {
        known.set(network_id, network_seq);
        latest = Math.max(latest, network_seq);
      }
      for (const { network_id } of await statements.all<Network>(REMOVED, [])) known.delete(network_id);
      version = Math.max(version, accessVersion);
    },
    fork: () => {
      const changed = new Map<string, number | null>();
      const start = latest;
      return {
        of: (networkId) => {
          const own = changed.get(networkId);
          return own === undefined ? (known.get(networkId) ?? null) : own;
        },
        read: async (statements) => {
          changed.clear();
          for (const { network_id, network_seq } of await statements.all<Network>(ADDED, [start]))
            changed.set(network_id, network_seq);
          for (const { network_id } of await statements.all<Network>(REMOVED, [])) changed.set(network_id, null);
        },
      };
    },
  };
}

const ADDED =
  'SELECT network_id, network_seq FROM networks WHERE network_seq > ? AND removed_at IS NULL ORDER BY network_seq';
const REMOVED = 'SELECT network_id, network_seq FROM networks WHERE removed_at IS NOT NULL';
