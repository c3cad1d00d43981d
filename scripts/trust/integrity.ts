// What SQLite itself says about a database file. Through a connection that is gone once it is closed: one of libSQL's lingers, and
// may hold a lock when the next hub starts.
import { DatabaseSync } from 'node:sqlite';

/** Damage in words; undefined when the file is sound. Safe beside a running hub. */
export function damageIn(file: string): string | undefined {
  try {
    return examine(file);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function examine(file: string): string | undefined {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const found = database.prepare('PRAGMA integrity_check').get()?.integrity_check;
    if (found !== 'ok') return String(found).split('\n')[0];
    const orphan = database.prepare('PRAGMA foreign_key_check').get();
    return orphan === undefined ? undefined : `a row of ${String(orphan.table)} has lost what it belongs to`;
  } finally {
    database.close();
  }
}
