// Removes a network. The transaction that marks it ends all access; its rows are deleted later, in portions.
import type { Reader, Touch, Transaction } from '../engine/transaction.ts';

/** Ends all access to the network. `removeRows` deletes the rest. */
export async function markRemoved(tx: Transaction, networkId: string): Promise<void> {
  for (const table of ['tokens', 'members'])
    await tx.run(`DELETE FROM ${table} WHERE network_id = ?`, [networkId], 'rights');
  await tx.run('DELETE FROM invites WHERE network_id = ?', [networkId]);
  await tx.run('DELETE FROM notifiers WHERE network_seq = ?', [tx.networkSeq(networkId)]);
  await tx.run('UPDATE networks SET removed_at = ? WHERE network_id = ?', [tx.now, networkId]);
}

/** Finds the number of a removed network that still has rows, even if only its own. */
export async function findRemoved(reader: Reader): Promise<number | undefined> {
  return (
    await reader.first<{ network_seq: number }>('SELECT network_seq FROM networks WHERE removed_at IS NOT NULL LIMIT 1')
  )?.network_seq;
}

type Growing = readonly [table: string, key: string, ...touches: Touch[]];

/**
 * Tables that may have very many rows per network, and the column with its number. The messages and events of tasks
 * come first: a task may have thousands, and its deletion would cascade to all of them in one statement.
 */
const GROWING: readonly Growing[] = [
  ['events', 'seq'],
  ['messages', 'message_seq', 'inboxes'],
  ['task_events', 'event_seq'],
  ['tasks', 'task_seq', 'inboxes', 'task_counts'],
  ['completions', 'completion_seq'],
  ['sessions', 'session_seq'],
  ['nodes', 'node_seq'],
  ['inboxes', 'alias', 'inboxes'],
  ['move_counts', 'minute'],
  ['duration_counts', 'quarter'],
  ['stuck_agents', 'alias'],
];

/**
 * Removes at most `limit` rows of a table, or the network itself if no rows are left. Returns whether anything is left.
 */
export async function removeRows(tx: Transaction, networkSeq: number, limit: number): Promise<boolean> {
  for (const [table, key, ...touches] of GROWING) {
    const { changes } = await tx.run(
      `DELETE FROM ${table} WHERE network_seq = ?1 AND ${key} IN (SELECT ${key} FROM ${table} WHERE network_seq = ?1 LIMIT ?2)`,
      [networkSeq, limit],
      ...touches,
    );
    if (changes > 0) return true;
  }
  await tx.run('DELETE FROM networks WHERE network_seq = ?', [networkSeq], 'inboxes', 'task_counts', 'rights'); // the schema's cascades remove its counters
  return false;
}
