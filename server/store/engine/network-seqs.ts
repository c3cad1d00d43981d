// Maps the public `network_id`, which callers of the store use, to `network_seq`, the key in large tables.
import type { Statements } from './statements.ts';

export type NetworkSeqs = {
  /** Null for an unknown or removed network: it equals nothing, and a row with it is rejected. */
  of(networkId: string): number | null;
  /** Call after a rollback: the number of a network that was not committed may be reused. */
  forget(): void;
};

const MAX_KNOWN = 10_000;

/** Caches results: a committed network keeps its number, and it is never reused. */
export function networkSeqsOn(statements: Statements): NetworkSeqs {
  const known = new Map<string, number>();
  const find = (networkId: string): number | null => {
    const network = statements.first<{ network_seq: number }>(
      'SELECT network_seq FROM networks WHERE network_id = ? AND removed_at IS NULL',
      [networkId],
    );
    if (network === undefined) return null;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(networkId, network.network_seq);
    return network.network_seq;
  };
  return { of: (networkId) => known.get(networkId) ?? find(networkId), forget: () => known.clear() };
}

/** SQL for the public id of a row's network, where `table` is the name or alias of the row's table. */
export function networkIdOf(table: string): string {
  return `(SELECT n.network_id FROM networks n WHERE n.network_seq = ${table}.network_seq) AS network_id`;
}
