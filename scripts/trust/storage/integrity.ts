// What SQLite reports about a database file, and whether its counters match their rows. Uses a connection that ends
// when it is closed: one of libSQL's lingers, and can hold a lock when the next hub starts.
import { DatabaseSync } from 'node:sqlite';
import { findWrongCounters } from '../../../server/store/counts/counters.ts';

/** The damage as text, including wrong counters, or undefined. Safe while the hub runs. */
export async function flawIn(file: string): Promise<string | undefined> {
  return damageIn(file) ?? (await wrongCountersIn(file))[0];
}

/** The damage as text, ignoring counters, or undefined. */
export function damageIn(file: string): string | undefined {
  try {
    return onFile(file, damageInRows);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function damageInRows(database: DatabaseSync): string | undefined {
  const found = database.prepare('PRAGMA integrity_check').get()?.integrity_check;
  if (found !== 'ok') return String(found).split('\n')[0];
  const orphan = database.prepare('PRAGMA foreign_key_check').get();
  if (orphan !== undefined) return `a row of ${String(orphan.table)} has no parent row`;
  // Since schema 10 the schema does not contain this reference.
  if (!hasIndex(database, 'tasks_settled_in_order')) return undefined;
  const stray = database
    .prepare('SELECT 1 FROM tasks WHERE network_seq NOT IN (SELECT network_seq FROM networks)')
    .get();
  return stray === undefined ? undefined : 'a task has no network';
}

function hasIndex(database: DatabaseSync, name: string): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?").get(name) !== undefined;
}

export async function wrongCountersIn(file: string): Promise<string[]> {
  const wrong = await findWrongCounters(
    async (sql) => onFile(file, (database) => database.prepare(sql).all()),
    onFile(file, schemaOf), // a copy from before an upgrade has an earlier one
  );
  return wrong.map(({ name, stored, counted }) => `the counter ${name} is ${stored}, not ${counted}`);
}

function schemaOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

function onFile<T>(file: string, examine: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return examine(database);
  } finally {
    database.close();
  }
}
