// Removes a network. The transaction that marks it ends all access; its rows are deleted later, in portions.
import type { Reader, Touch, Transaction } from '../engine/transaction.ts';

/** Ends all access to the network and returns the users who had tokens for it. `removeRows` deletes the rest. */
export async function markRemoved(tx: Transaction, networkId: string): Promise<{ owners: ReadonlySet<string> }> {
  const ended = await tx.returning<{ user_id: string }>(
    'DELETE FROM tokens WHERE network_id = ? RETURNING user_id',
    [networkId],
    'rights',
  );
  await tx.run('DELETE FROM members WHERE network_id = ?', [networkId], 'rights');
  await tx.run('DELETE FROM invites WHERE network_id = ?', [networkId]);
  await tx.run('DELETE FROM notifiers WHERE network_seq = ?', [tx.networkSeq(networkId)]);
  await tx.run('UPDATE networks SET removed_at = ? WHERE network_id = ?', [tx.now, networkId], 'networks');
  return { owners: new Set(ended.map(({ user_id }) => user_id)) };
}

/** Finds the number of a removed network that still has rows, even if only its own. */
export async function findRemoved(reader: Reader): Promise<number | undefined> {
  return (
    await reader.first<{ network_seq: number }>('SELECT network_seq FROM networks WHERE removed_at IS NOT NULL LIMIT 1')
  )?.network_seq;
}

/** `isShared` if other networks may have rows with the same key. */
type Growing = { table: string; key: string; isShared?: true; where?: string; touches?: readonly Touch[] };

const TASKS: Growing = { table: 'tasks', key: 'task_seq', touches: ['inboxes', 'task_counts'] };

/**
 * Tables that may have very many rows per network, and the column with its number. The messages and events of tasks
 * come first: a task may have thousands, and its deletion would cascade to all of them in one statement. The tasks of a
 * network are found by their status.
 */
const GROWING: readonly Growing[] = [
  { table: 'events', key: 'seq' },
  { table: 'messages', key: 'message_seq', touches: ['inboxes'] },
  { table: 'task_events', key: 'event_seq' },
  { ...TASKS, where: "status = 'delivered'" },
  { ...TASKS, where: "status = 'running'" },
  { ...TASKS, where: 'completed_at IS NOT NULL' },
  { table: 'completions', key: 'completion_seq' },
  { table: 'sessions', key: 'session_seq' },
  { table: 'nodes', key: 'node_seq' },
  { table: 'inboxes', key: 'alias', isShared: true, touches: ['inboxes'] },
  { table: 'move_counts', key: 'minute', isShared: true },
  { table: 'duration_counts', key: 'quarter', isShared: true },
  { table: 'stuck_agents', key: 'alias', isShared: true },
  { table: 'told_sessions', key: 'alias', isShared: true },
];

/**
 * Removes at most `limit` rows of a table, or the network itself if no rows are left. Returns whether anything is left.
 */
export async function removeRows(tx: Transaction, networkSeq: number, limit: number): Promise<boolean> {
  for (const { table, key, isShared, where = 'TRUE', touches = [] } of GROWING) {
    // For a key of one network alone, SQLite may compare all rows of the network with those that are found.
    const ofNetwork = isShared ? 'network_seq = ?1 AND ' : '';
    const { changes } = await tx.run(
      `DELETE FROM ${table} WHERE ${ofNetwork}${key} IN (SELECT ${key} FROM ${table} WHERE network_seq = ?1 AND ${where} LIMIT ?2)`,
      [networkSeq, limit],
      ...touches,
    );
    if (changes > 0) return true;
  }
  await tx.run('DELETE FROM networks WHERE network_seq = ?', [networkSeq], 'inboxes', 'task_counts', 'rights'); // the schema's cascades remove its counters
  return false;
}
