// Reads all rows of one database and writes them into another, table by table. Tables, columns and keys come from the
// database itself, so new ones are included automatically.
import { wrongValue } from '../../domain/files/stored-values.ts';
import { connect, RECIPE } from '../engine/libsql/connection.ts';
import type { Statements } from '../engine/libsql/statements.ts';
import type { SqlValue } from '../engine/transaction.ts';

/**
 * Tables left out: an import renews the epoch, the only value worth keeping of the hub row; events are for past
 * readers; and an export contains no usable secret, such as the URL and the signing secret of a notifier.
 */
export const EXCLUDED: readonly string[] = [
  'hub',
  'events',
  'notifiers',
  'deliveries',
  'notifier_readers',
  'stuck_agents',
  'stalled_agents',
  'hubs', // those that run on a PostgreSQL database
  'commits', // of these hubs
];

const ROWS_AT_ONCE = 200; // a row may hold 70,000 characters

type Table = { name: string; columns: readonly string[]; key: readonly string[] };

export type NamedRow = { table: string; row: Record<string, SqlValue> };

/** Yields all rows as one snapshot, referenced rows first, even while a hub writes. */
export async function* readAllRows(file: string): AsyncGenerator<NamedRow> {
  const { statements, close } = connect(file, { query_only: 1, busy_timeout: 10_000 });
  try {
    statements.exec('BEGIN');
    for (const table of listTables(statements)) {
      for (
        let page = readPage(statements, table, undefined);
        page.length > 0;
        page = readPage(statements, table, page.at(-1))
      ) {
        for (const row of page) yield { table: table.name, row };
      }
    }
  } finally {
    statements.exec('COMMIT'); // closing alone would leave the file locked
    close();
  }
}

// Tables are listed in creation order, so referenced tables come first.
function listTables(statements: Statements): Table[] {
  const names = statements.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    [],
  );
  return names
    .map(({ name }) => name)
    .filter((name) => !EXCLUDED.includes(name))
    .map((name) => tableOf(statements, name));
}

function tableOf(statements: Statements, name: string): Table {
  const columns = statements.all<{ name: string; pk: number }>(
    'SELECT name, pk FROM pragma_table_info(?) ORDER BY cid',
    [name],
  );
  return {
    name,
    columns: columns.map((column) => column.name),
    key: columns
      .filter(({ pk }) => pk > 0)
      .sort((one, other) => one.pk - other.pk)
      .map((column) => column.name),
  };
}

function readPage(
  statements: Statements,
  { name, columns, key }: Table,
  after: Record<string, SqlValue> | undefined,
): Record<string, SqlValue>[] {
  const keys = key.join(', ');
  const where = after === undefined ? '' : `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`;
  return statements.all(
    `SELECT ${columns.join(', ')} FROM ${name} ${where} ORDER BY ${keys} LIMIT ${ROWS_AT_ONCE}`,
    after === undefined ? [] : key.map((column) => after[column] ?? null),
  );
}

export type RowWriter = {
  /** Throws an Error with the reason if the row cannot be part of a hub. */
  insert(row: NamedRow): void;
  commit(): void;
  close(): void;
};

/** Writes into a database with a schema and no rows; nothing is stored without `commit`. */
export async function writeAllRows(file: string): Promise<RowWriter> {
  const { statements, close } = connect(file, { ...RECIPE, synchronous: 0 });
  const tables = new Map(listTables(statements).map((table) => [table.name, table]));
  // The rows that triggers would write are imported themselves.
  const triggers = statements.all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid",
    [],
  );
  statements.exec('BEGIN');
  for (const { name } of triggers) statements.exec(`DROP TRIGGER ${name}`);
  return {
    insert: ({ table: name, row }) => {
      const table = tables.get(name);
      if (table === undefined) throw new Error(`table ${name} does not exist`);
      assertColumns(table, row);
      assertValues(table, row);
      statements.run(
        `INSERT INTO ${name} (${table.columns.join(', ')}) VALUES (${table.columns.map(() => '?').join(', ')})`,
        table.columns.map((column) => row[column] ?? null),
      );
    },
    commit: () => {
      for (const { sql } of triggers) statements.exec(sql);
      statements.exec('COMMIT');
    },
    close,
  };
}

function assertColumns({ name, columns }: Table, row: Record<string, SqlValue>): void {
  const missing = columns.find((column) => !Object.hasOwn(row, column));
  if (missing !== undefined) throw new Error(`the row of ${name} has no ${missing}`);
  const unknown = Object.keys(row).find((column) => !columns.includes(column));
  if (unknown !== undefined) throw new Error(`${name} has no column ${unknown}`);
}

function assertValues({ name, columns }: Table, row: Record<string, SqlValue>): void {
  for (const column of columns) {
    const wrong = wrongValue(name, column, row[column]);
    if (wrong !== undefined) throw new Error(wrong);
  }
}
