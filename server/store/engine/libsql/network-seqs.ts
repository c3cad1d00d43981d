// The numbers of networks, read when they are first needed.
import type { NetworkSeqs } from '../network-seqs.ts';
import type { Statements } from './statements.ts';

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
