// Ends all access to a network that is deleted, and announces it with the commit.
import type { Hub } from '../../hub.ts';
import { markRemoved } from '../../store/bulk/network-removal.ts';
import type { Transaction } from '../../store/engine/transaction.ts';

export async function endNetwork(hub: Hub, tx: Transaction, networkId: string): Promise<void> {
  const { owners } = await markRemoved(tx, networkId);
  tx.afterCommit(() => {
    hub.revocations.announce({ network_id: networkId });
    for (const user_id of owners) hub.changes.announce({ what: 'tokens', user_id });
  });
}
