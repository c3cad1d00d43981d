// Reads all rows of a database for an export, and fills an empty one with those of a database file.
import { StartError } from '../../../domain/errors.ts';
import type { NamedRow } from '../../file/rows.ts';
import type { SqlValue } from '../transaction.ts';
import { IS_ALIVE } from './alive.ts';
import { connectionTo } from './connection/connection.ts';
import { onDatabase } from './connection/on-database.ts';
import { problemOf } from './connection/problems.ts';
import { serversAt } from './connection/servers.ts';
import type { Statements } from './connection/statements.ts';
import { prepare } from './prepare.ts';
import { assertHoldsHub, hasSchema, TABLES } from './schema.ts';

const ROWS_AT_ONCE = 200;

type Column = { name: string; type: string };
type Table = { name: string; columns: readonly Column[]; key: readonly string[] };

/** Yields all rows as one snapshot, referenced rows first, even while hubs write. `excluded` are names of tables. */
export async function* readRowsOn(url: string, excluded: readonly string[]): AsyncGenerator<NamedRow> {
  const connection = connectionTo(serversAt(url));
  try {
    const { statements } = await connection.open();
    await statements.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await assertHoldsHub(statements);
    for (const table of await listTables(statements, excluded)) yield* rowsOf(statements, table);
  } catch (error) {
    throw problemOf(error, url);
  } finally {
    await connection.close();
  }
}

/** In the order of their creation, so referenced tables come first. Generated columns are left out. */
async function listTables(statements: Statements, excluded: readonly string[]): Promise<Table[]> {
  const found = await statements.all<{ table: string; column: string; type: string; key: number | null }>(COLUMNS, []);
  const tables = Map.groupBy(
    found.filter(({ table }) => TABLES.includes(table) && !excluded.includes(table)),
    ({ table }) => table,
  );
  return [...tables].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column, type }) => ({ name: column, type })),
    key: columns
      .filter(({ key }) => key !== null)
      .toSorted((one, other) => (one.key ?? 0) - (other.key ?? 0))
      .map(({ column }) => column),
  }));
}

const COLUMNS = `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type,
    array_position(i.indkey::int2[], a.attnum) AS key
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND a.attgenerated = ''
  ORDER BY c.oid, a.attnum`;

async function* rowsOf(statements: Statements, { name, columns, key }: Table): AsyncGenerator<NamedRow> {
  const keys = key.join(', ');
  const select = `SELECT ${columns.map((column) => column.name).join(', ')} FROM ${name}`;
  const where = `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`;
  let last: NamedRow['row'] | undefined;
  do {
    const after = last;
    const rows = await statements.all<NamedRow['row']>(
      `${select} ${after === undefined ? '' : where} ORDER BY ${keys} LIMIT ${ROWS_AT_ONCE}`,
      after === undefined ? [] : key.map((column) => after[column] ?? null),
    );
    for (const row of rows) yield { table: name, row };
    last = rows.at(-1);
  } while (last !== undefined);
}

/** Throws StartError if the database holds a hub, or one runs on it. */
export function assertFree(url: string): Promise<void> {
  return onDatabase(url, async (statements) => {
    if (await hasSchema(statements)) await assertEmpty(statements);
  });
}

/**
 * Creates the schema, and stores all rows in one transaction. Throws StartError if a row cannot be stored; then there
 * are none.
 */
export async function fillFrom(url: string, rows: AsyncIterable<NamedRow>): Promise<void> {
  const { others } = await prepare(url);
  if (others > 0) throw new StartError(IN_USE);
  await onDatabase(url, async (statements) => {
    await statements.exec('BEGIN; LOCK TABLE users IN ACCESS EXCLUSIVE MODE');
    await assertEmpty(statements);
    const tables = await listTables(statements, NOT_IMPORTED);
    // The rows that triggers would write are among the rows.
    for (const { name } of tables) await statements.exec(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    await insertAll(statements, tables, rows);
    for (const { name } of tables) await statements.exec(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
    for (const { number } of await statements.all<{ number: string }>(NUMBERED, [])) await statements.all(number, []);
    await statements.run(NEXT, []);
    await statements.exec('COMMIT');
  });
}

async function assertEmpty(statements: Statements): Promise<void> {
  const found = await statements.first<{ hubs: number }>(HELD, []);
  if (found !== undefined && found.hubs > 0) throw new StartError(IN_USE);
  // That of an earlier version lacks some tables.
  for (const { name } of await listTables(statements, NOT_IMPORTED))
    if ((await statements.all(`SELECT 1 FROM ${name} LIMIT 1`, [])).length > 0)
      throw new StartError(`the database already holds a hub: name an empty database (${name} has rows)`);
}

/** A database without a hub's data may have rows in these. */
const NOT_IMPORTED = ['hub', 'hubs', 'commits'];

const IN_USE = 'a hub runs on this database: stop it first, or name an empty database';
const HELD = `SELECT count(*) AS hubs FROM hubs WHERE ${IS_ALIVE}`;

async function insertAll(
  statements: Statements,
  tables: readonly Table[],
  rows: AsyncIterable<NamedRow>,
): Promise<void> {
  const named = new Map(tables.map((table) => [table.name, table]));
  let batch: NamedRow[] = [];
  const store = async (): Promise<void> => {
    const table = named.get(batch[0]?.table ?? '');
    if (table !== undefined) await insertRows(statements, table, batch);
    batch = [];
  };
  for await (const row of rows) {
    if (batch.length === ROWS_AT_ONCE || (batch.length > 0 && batch[0]?.table !== row.table)) await store();
    batch.push(row);
  }
  await store();
}

async function insertRows(statements: Statements, { name, columns }: Table, rows: readonly NamedRow[]): Promise<void> {
  const names = columns.map((column) => column.name).join(', ');
  const arrays = columns.map(({ type }) => `?::${type}[]`).join(', ');
  const valuesOf = ({ name: column }: Column): SqlValue[] => rows.map(({ row }) => row[column] ?? null);
  await statements.run(`INSERT INTO ${name} (${names}) SELECT * FROM unnest(${arrays})`, columns.map(valuesOf));
}

/** The statements that let each table number its next row after the last one. */
const NUMBERED = `SELECT format('SELECT setval(pg_get_serial_sequence(%1$L, %2$L), coalesce(max(%2$I), 1), max(%2$I) IS NOT NULL) FROM %1$I',
    table_name, column_name) AS number
  FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'`;

/** Events continue after those that are part of the history of tasks, none of which can be replayed. */
const NEXT = `UPDATE hub SET seq = latest, events_after = latest, access_version = access_version + 1,
    clock = greatest(clock, (SELECT coalesce(max(created_at), 0) FROM audit_log))
  FROM (SELECT coalesce(max(event_seq), 0) AS latest FROM task_events) t`;
