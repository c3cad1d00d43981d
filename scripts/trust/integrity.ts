// What SQLite itself says about a database file, and whether its counters equal their rows. Through a connection that is gone once it
// is closed: one of libSQL's lingers, and may hold a lock when the next hub starts.
import { DatabaseSync } from 'node:sqlite';
import { findWrongCounters } from '../../server/store/counters.ts';

/** Damage in words, wrong counters included; undefined when the file is sound. Safe beside a running hub. */
export async function damageIn(file: string): Promise<string | undefined> {
  try {
    return await onFile(file, async (database) => damageInRows(database) ?? (await wrongCountersOf(database))[0]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Each wrong counter with its name. Of a file that cannot be read none: a row that damages files judges them itself. */
export function wrongCountersIn(file: string): Promise<string[]> {
  return onFile(file, wrongCountersOf).catch(() => []);
}

async function onFile<T>(file: string, examine: (database: DatabaseSync) => Promise<T>): Promise<T> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return await examine(database);
  } finally {
    database.close();
  }
}

function damageInRows(database: DatabaseSync): string | undefined {
  const found = database.prepare('PRAGMA integrity_check').get()?.integrity_check;
  if (found !== 'ok') return String(found).split('\n')[0];
  const orphan = database.prepare('PRAGMA foreign_key_check').get();
  return orphan === undefined ? undefined : `a row of ${String(orphan.table)} has lost what it belongs to`;
}

async function wrongCountersOf(database: DatabaseSync): Promise<string[]> {
  const wrong = await findWrongCounters(async (sql) => database.prepare(sql).all());
  return wrong.map(({ name, stored, counted }) => `the counter ${name} is ${stored}, not ${counted}`);
}
