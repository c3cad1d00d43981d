// Checks that a database file holds exactly the schema that the migrations create. An added trigger, view, index, table
// or constraint would run with the rights of the hub, so such a file is refused before any row is read. This includes
// the statistics that ANALYZE stores, because SQLite chooses indexes by them.
import type { Client } from '@libsql/client';
import { StartError } from '../../domain/errors.ts';
import { damaged } from './open.ts';
import { type SchemaRow, schemaOf } from './schema.ts';

/** Throws StartError with the names of objects that were added, changed or removed. */
export async function assertOwnSchema(client: Client, file: string, version: number): Promise<void> {
  await assertEncoding(client, file);
  const wanted = await schemaOf(version);
  const found = await listRows(client, wanted.length + MAX_FOREIGN);
  const foreign = found.filter((row) => !wanted.some((object) => isSameObject(object, row)));
  if (foreign.length > 0) throw foreignObjects(file, foreign);
  const changed = wanted.find((object) => !found.some((row) => isSameObject(object, row) && row.sql === object.sql));
  if (changed !== undefined) throw damaged(file, `the ${changed.type} ${changed.name} is not as agenthub created it`);
  if (found.length > new Set(found.map(({ type, name }) => `${type} ${name}`)).size)
    throw damaged(file, 'an object of the schema is listed twice');
}

const MAX_FOREIGN = 50;
const MAX_NAME_BYTES = 200;
const MAX_SQL_BYTES = 65_536;

// In another encoding, no name or text compares equal.
async function assertEncoding(client: Client, file: string): Promise<void> {
  const { rows } = await client.execute('PRAGMA encoding');
  if (rows[0]?.[0] !== 'UTF-8') throw damaged(file, `its text encoding is ${String(rows[0]?.[0])}`);
}

/**
 * Reads hexadecimal, because libSQL aborts the process on text that is not UTF-8. Does not use pragma functions: a view
 * in the file could have the name of one and be read instead.
 */
async function listRows(client: Client, limit: number): Promise<SchemaRow[]> {
  const columns = ['type', 'name', 'tbl_name', 'sql'].map(
    (name) => `hex(substr(CAST(coalesce(${name}, '') AS BLOB), 1, ${MAX_SQL_BYTES}))`,
  );
  const { rows } = await client.execute(`SELECT ${columns.join(', ')} FROM main.sqlite_schema LIMIT ${limit}`);
  return rows.map((row) => {
    const [type = '', name = '', table = '', sql = ''] = Object.values(row).map((hex) =>
      Buffer.from(String(hex), 'hex').toString(),
    );
    return { type, name, table, sql };
  });
}

function isSameObject(one: SchemaRow, other: SchemaRow): boolean {
  return one.type === other.type && one.name === other.name && one.table === other.table;
}

const NAMED = 5;

function foreignObjects(file: string, objects: readonly SchemaRow[]): StartError {
  const names = objects.slice(0, NAMED).map(({ type, name }) => printable(`${type} ${name}`));
  const more = objects.length > NAMED ? ', and more' : '';
  return new StartError(
    `${file} contains objects that agenthub did not create (${names.join(', ')}${more}); restore a backup created by agenthub, or drop them if you added them`,
  );
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, '?').slice(0, MAX_NAME_BYTES);
}
