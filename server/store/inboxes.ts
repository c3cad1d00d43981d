// Counts the pending messages of each inbox. Increments within a group of writes are stored once per group.
import { type GatheredCounts, gatherCounts } from './engine/gathered-counts.ts';
import type { NetworkSeqs } from './engine/network-seqs.ts';
import type { Reader, SqlValue, Transaction } from './engine/transaction.ts';

const PENDING = 'SELECT pending FROM inboxes WHERE network_seq = ? AND alias = ?';

type Row = { pending: number };

export async function countPending(reader: Reader, networkId: string, alias: string): Promise<number> {
  const inbox = await reader.first<Row>(PENDING, [reader.networkSeq(networkId), alias], 'inboxes');
  return inbox?.pending ?? 0;
}

type Key = { network_seq: number; alias: string };

export const FIRST_INBOX: Key = { network_seq: 0, alias: '' };

/**
 * Removes empty inboxes among the next `limit` rows after a key. Returns the key to continue after; undefined at the
 * end.
 */
export async function removeEmpty(
  tx: Transaction,
  { network_seq: network, alias }: Key,
  limit: number,
): Promise<Key | undefined> {
  const next = await tx.first<Key>(
    `SELECT network_seq, alias FROM inboxes WHERE (network_seq, alias) > (?, ?)
     ORDER BY network_seq, alias LIMIT 1 OFFSET ?`,
    [network, alias, limit - 1],
    'inboxes',
  );
  const end = next === undefined ? [Number.MAX_SAFE_INTEGER, ''] : [next.network_seq, next.alias];
  await tx.run(
    'DELETE FROM inboxes WHERE (network_seq, alias) > (?, ?) AND (network_seq, alias) <= (?, ?) AND pending = 0',
    [network, alias, ...end],
    'inboxes',
  );
  return next;
}

/** Messages that arrive in the inboxes within one transaction. */
export type Arrivals = {
  /** Counts one message that was just stored. */
  add(networkId: string, alias: string): void;
  /** The number of pending messages in an inbox, including arrivals of this transaction. */
  pending(networkId: string, alias: string): Promise<number>;
};

/** `first` runs a statement of the group. */
export function arrivalsInGroup(
  first: (sql: string, args: readonly SqlValue[]) => Row | undefined | Promise<Row | undefined>,
  networkSeqs: Pick<NetworkSeqs, 'of'>,
): Arrivals & { counts: GatheredCounts } {
  const counts = gatherCounts({ table: 'inboxes', key: ['network_seq', 'alias'], column: 'pending' });
  return {
    counts,
    add: (networkId, alias) => void (counts.of(networkSeqs.of(networkId), alias).more += 1),
    pending: async (networkId, alias) => {
      const inbox = counts.of(networkSeqs.of(networkId), alias);
      inbox.stored ??= (await first(PENDING, inbox.key))?.pending ?? 0;
      return inbox.stored + inbox.more;
    },
  };
}
