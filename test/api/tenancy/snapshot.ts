// Detects database changes and restores an earlier dump, so that every cell of the matrix sees the same data.
import type { Hub } from '../../../server/hub.ts';
import type { Transaction } from '../../../server/store/engine/transaction.ts';
import { type Row, tablesOf } from '../../support/fixture.ts';
import { ON_POSTGRES } from '../../support/store/postgres.ts';

export type Dump = Readonly<Record<string, readonly Row[]>>;

const COUNTER = 'changed_rows';

/** Counts changed rows on PostgreSQL, which has no number of the last commit. */
export async function countChanges(hub: Hub): Promise<void> {
  if (!ON_POSTGRES) return;
  const tables = await hub.store.read(tablesOf);
  await hub.store.write(async (tx) => {
    await tx.run(`CREATE SEQUENCE ${COUNTER}`);
    await tx.run(
      `CREATE FUNCTION ${COUNTER}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''${COUNTER}''); RETURN NULL; END'`,
    );
    for (const table of tables)
      await tx.run(
        `CREATE TRIGGER ${COUNTER} AFTER INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${COUNTER}()`,
      );
  });
}

/** A number that increases with every commit that changes data. */
export async function versionOf(hub: Hub): Promise<number> {
  const found = await hub.store.read((reader) => reader.first<{ version: number }>(VERSION));
  return found?.version ?? 0;
}

const VERSION = {
  libsql: 'SELECT data_version AS version FROM pragma_data_version',
  postgres: `SELECT last_value + is_called::integer AS version FROM ${COUNTER}`,
};

export function rewind(hub: Hub, to: Dump): Promise<void> {
  return hub.store.write(async (tx) => {
    await tx.run(WITHOUT_REFERENCES);
    for (const table of recordsIn(to)) await tx.run(`DELETE FROM ${table}`);
    for (const table of recordsIn(to)) await refill(tx, table, to[table] ?? []);
    if (ON_POSTGRES) await tx.run('SET LOCAL session_replication_role = origin');
  });
}

/** Until the end of the transaction. On PostgreSQL, triggers rest as well. */
const WITHOUT_REFERENCES = {
  libsql: 'PRAGMA defer_foreign_keys = ON',
  postgres: 'SET LOCAL session_replication_role = replica',
};

// Triggers of a file write to these tables, so they come last.
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
  const columns = (await tx.all<{ name: string }>(COLUMNS, [table])).map(({ name }) => name);
  const blanks = rows.map(() => `(${columns.map(() => '?').join(', ')})`).join(', ');
  const into = `INSERT INTO ${table} (${columns.join(', ')})`;
  await tx.run(
    { libsql: `${into} VALUES ${blanks}`, postgres: `${into} OVERRIDING SYSTEM VALUE VALUES ${blanks}` },
    rows.flatMap((row) => columns.map((column) => row[column] ?? null)),
  );
}

/** Those that can be written: neither generated nor hidden. */
const COLUMNS = {
  libsql: 'SELECT name FROM pragma_table_info(?)',
  postgres: `SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ? AND is_generated = 'NEVER' ORDER BY ordinal_position`,
};
