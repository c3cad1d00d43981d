// Detects database changes and restores an earlier dump, so that every cell of the matrix sees the same data.
import type { Hub } from '../../../server/hub.ts';
import type { Transaction } from '../../../server/store/engine/transaction.ts';
import type { Row } from '../../support/fixture.ts';

export type Dump = Readonly<Record<string, readonly Row[]>>;

/** A number that increases with every commit that changes data. */
export async function versionOf(hub: Hub): Promise<number> {
  const found = await hub.store.read((reader) => reader.first<{ data_version: number }>('PRAGMA data_version'));
  return found?.data_version ?? 0;
}

export function rewind(hub: Hub, to: Dump): Promise<void> {
  return hub.store.write(async (tx) => {
    await tx.run('PRAGMA defer_foreign_keys = ON');
    for (const table of recordsIn(to)) await tx.run(`DELETE FROM ${table}`);
    for (const table of recordsIn(to)) await refill(tx, table, to[table] ?? []);
  });
}

// Triggers write to these tables, so they come last.
const LAST = ['inboxes', 'session_counts', 'task_counts', 'task_events', 'sqlite_sequence'];

/** All tables except the hub's own row, whose permission counter must never decrease. */
export function recordsIn(dump: Dump): string[] {
  const tables = Object.keys(dump).filter((name) => name !== 'hub');
  return [...tables.filter((name) => !LAST.includes(name)), ...tables.filter((name) => LAST.includes(name))];
}

// One statement with as many bound values as the table has, because the number of statements determines the time.
async function refill(tx: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  await tx.run(`DELETE FROM ${table}`);
  if (rows.length === 0) return;
  // table_info omits generated columns, which cannot be written.
  const columns = (await tx.all<{ name: string }>(`PRAGMA table_info(${table})`)).map(({ name }) => name);
  const blanks = rows.map(() => `(${columns.map(() => '?').join(', ')})`).join(', ');
  await tx.run(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${blanks}`,
    rows.flatMap((row) => columns.map((column) => row[column] ?? null)),
  );
}
