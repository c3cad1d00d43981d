// Whether a database file is sound, found out before anything is served from it: its schema word for word, its pages, indexes
// and constraints, and its texts, since libSQL aborts the process at the first one that is no UTF-8. Nothing of the file is
// taken for text here: it comes as hexadecimal or as bytes.
import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import type { Client, ResultSet, Value } from '@libsql/client';
import { MAX_CHECKED_BYTES } from '../domain/limits.ts';
import { damaged, onFile } from './opening.ts';
import { schemaOf, type SchemaObject } from './schema.ts';

/**
 * Throws a StartError for a damaged file. Of one above `maxBytes` only the schema is looked at, since the rest would
 * hold up every start (0.8 s for 100 MB); then the answer is false.
 */
export function assertSound(file: string, maxBytes = MAX_CHECKED_BYTES): Promise<boolean> {
  return onFile(file, async (client) => {
    const schema = await schemaOf(await versionOf(client));
    const isWhole = statSync(file).size <= maxBytes;
    const damage = (await damageInSchema(client, schema)) ?? (isWhole ? await damageInRows(client, schema) : undefined);
    if (damage !== undefined) throw damaged(file, damage);
    return isWhole;
  });
}

async function versionOf(client: Client): Promise<number> {
  const { rows } = await client.execute('PRAGMA user_version');
  return Number(rows[0]?.[0]);
}

/** Something added to the schema is no damage; something missing or changed is. */
async function damageInSchema(client: Client, schema: readonly SchemaObject[]): Promise<string | undefined> {
  const { rows } = await client.execute('SELECT hex(sql) AS sql FROM sqlite_schema WHERE sql IS NOT NULL');
  const found = new Set(rows.map(({ sql }) => decoded(sql)));
  const wrong = schema.find(({ sql }) => !found.has(sql));
  return wrong && `the ${wrong.type} ${wrong.name} is not as agenthub made it`;
}

async function damageInRows(client: Client, schema: readonly SchemaObject[]): Promise<string | undefined> {
  // Each row is looked for in each index, so they should fit in memory: half the time of the default cache.
  await client.execute('PRAGMA cache_size = -64000');
  await client.execute('PRAGMA cell_size_check = 1');
  return (await damageInStructure(client)) ?? (await damageInTexts(client, schema));
}

async function damageInStructure(client: Client): Promise<string | undefined> {
  const { rows: [checked] } = await client.execute('SELECT hex(integrity_check) AS found FROM pragma_integrity_check(1)');
  const found = decoded(checked?.found);
  if (found !== 'ok') return found;
  const { rows: [orphan] } = await client.execute('SELECT hex("table") AS name FROM pragma_foreign_key_check LIMIT 1');
  return orphan && `a row of ${decoded(orphan.name)} has lost what it belongs to`;
}

function decoded(hex: Value | undefined): string {
  return Buffer.from(String(hex), 'hex').toString();
}

async function damageInTexts(client: Client, schema: readonly SchemaObject[]): Promise<string | undefined> {
  for (const table of schema) {
    if (table.texts.length > 0 && !(await hasSoundTexts(client, table))) return `a text in ${table.name} is not UTF-8`;
  }
  return undefined;
}

const ROWS_AT_ONCE = 200; // a row may hold 70,000 characters

async function hasSoundTexts(client: Client, { name, texts, hasRowid }: SchemaObject): Promise<boolean> {
  const number = hasRowid ? 'rowid' : '0'; // what has no rowid is little, and comes as one page
  const page = `SELECT ${number} AS number, ${texts.map((column) => `coalesce(${column}, '')`).join(" || ' ' || ")} AS text
    FROM ${name} WHERE ${number} > ? ORDER BY 1 ${hasRowid ? `LIMIT ${ROWS_AT_ONCE}` : ''}`;
  for (let last: Value = -1n; last !== null; ) {
    const found: ResultSet = await client.execute({ sql: `SELECT max(number), CAST(group_concat(text, ' ') AS BLOB) FROM (${page})`, args: [last] });
    const [[reached = null, bytes] = []] = found.rows.map(Object.values);
    if (bytes instanceof ArrayBuffer && !isUtf8(bytes)) return false;
    last = reached;
  }
  return true;
}
