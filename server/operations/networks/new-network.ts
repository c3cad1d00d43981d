// Creates a network for a user, on registration and POST /api/networks.
import { DEFAULT_MAX_MEMBERS } from '../../domain/limits.ts';
import { DAY_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as networks from '../../store/networks.ts';

export type NewNetwork = { network_name: string; owner_id: string; description: string };

/** Returns the id. The trial, if the hub has one, starts now. */
export async function createNetworkOf(hub: Hub, tx: Transaction, network: NewNetwork): Promise<string> {
  const networkId = hub.ids.next('net');
  const { trial_days: days } = hub.settings;
  await networks.insert(tx, {
    ...network,
    network_id: networkId,
    max_members: DEFAULT_MAX_MEMBERS,
    trial_ends_at: days > 0 ? tx.now + Math.round(days * DAY_MS) : null,
  });
  return networkId;
}
