// Reads and writes what concerns the whole database: the epoch of its events, the key of its ids, and its row counts.
import type { Statements } from './engine/statements.ts';
import type { Reader, Transaction } from './engine/transaction.ts';

/** Invalidates all earlier event ids, so readers must start again. */
export async function renewEpoch(tx: Transaction): Promise<void> {
  await tx.run('UPDATE hub SET epoch = lower(hex(randomblob(6)))');
}

/** Reads the key right after the database is opened. */
export function idKeyOn(statements: Statements): string {
  return statements.first<{ id_key: string }>('SELECT id_key FROM hub', [])?.id_key ?? '';
}

export type Contents = { users: number; networks: number; tasks: number; messages: number };

export async function countContents(reader: Reader): Promise<Contents> {
  const counts = await reader.first<Contents>(
    `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM networks WHERE removed_at IS NULL) AS networks,
       (SELECT count(*) FROM tasks) AS tasks, (SELECT count(*) FROM messages) AS messages`,
  );
  return counts ?? { users: 0, networks: 0, tasks: 0, messages: 0 };
}
