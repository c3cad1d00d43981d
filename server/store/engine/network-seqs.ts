// Translates between the public `network_id`, which callers of the store use, and `network_seq`, by which large tables
// refer to their network.
import type { Statements } from './statements.ts';

export type NetworkSeqs = {
  /** Null for an id that no network has, or one that was removed: nothing equals it, and a row with it is refused. */
  of(networkId: string): number | null;
  /** After a rollback: the number of a network that was not committed may become that of another. */
  forget(): void;
};

const MAX_KNOWN = 10_000;

/** Keeps what it found: a network that was committed keeps its number, and no other ever gets it. */
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

/** Selects the public id of the network of a row, of which `table` is the name or alias. */
export function networkIdOf(table: string): string {
  return `(SELECT n.network_id FROM networks n WHERE n.network_seq = ${table}.network_seq) AS network_id`;
}
