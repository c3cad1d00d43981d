// Checks the integrity of a database file before the hub uses it: its exact schema, its pages, indexes and constraints,
// its texts, because libSQL aborts the process on text that is not UTF-8, and the values that the hub computes with or
// parses. Until then all texts are read as hexadecimal or bytes.
import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import type { Client, ResultSet, Value } from '@libsql/client';
import type { Form, Json } from '../../domain/files/stored-values.ts';
import {
  formOf,
  isJson,
  jsonOf,
  MAX_SEQUENCE,
  malformed,
  notJson,
  outsideOf,
  rangeOf,
} from '../../domain/files/stored-values.ts';
import { MAX_CHECKED_BYTES, MAX_CHECKED_ROWS } from '../../domain/limits.ts';
import { damaged, onFile } from './open.ts';
import { assertOwnSchema } from './own-schema.ts';
import { type SchemaObject, schemaOf } from './schema.ts';

export type CheckLimits = { bytes: number; rows: number };

/** Takes at most a few seconds: 0.8 s for 100 MB of tasks, 4 µs per row of a broadcast. */
const AT_START: CheckLimits = { bytes: MAX_CHECKED_BYTES, rows: MAX_CHECKED_ROWS };
export const WHOLE: CheckLimits = { bytes: Infinity, rows: Infinity };

/**
 * Throws StartError for a damaged file. Above the limits, it checks only the schema, the hub row and the latest
 * sequence numbers, because the rest would delay every start, and returns false. Calls `onProgress` after each step
 * with the share of the steps that are done.
 */
export function assertIntact(
  file: string,
  limits = AT_START,
  onProgress: (share: number) => void = () => {},
): Promise<boolean> {
  return onFile(file, async (client) => {
    const version = await versionOf(client);
    await assertOwnSchema(client, file, version);
    const schema = await schemaOf(version);
    const isWhole = statSync(file).size <= limits.bytes && !(await hasMoreRows(client, schema, limits.rows));
    const damage =
      (await damageInHub(client, schema)) ?? (isWhole ? await damageInRows(client, schema, onProgress) : undefined);
    if (damage !== undefined) throw damaged(file, damage);
    return isWhole;
  });
}

async function hasMoreRows(client: Client, schema: readonly SchemaObject[], most: number): Promise<boolean> {
  if (most === Infinity) return false;
  let left = most;
  for (const { name, type } of schema) {
    if (type !== 'table') continue;
    const {
      rows: [found],
    } = await client.execute(`SELECT count(*) AS rows FROM (SELECT 1 FROM ${name} LIMIT ${left + 1})`);
    left -= Number(found?.rows);
    if (left < 0) return true;
  }
  return false;
}

async function versionOf(client: Client): Promise<number> {
  const { rows } = await client.execute('PRAGMA user_version');
  return Number(rows[0]?.[0]);
}

/** The hub cannot start without this row, and cannot store rows past the last sequence number. */
async function damageInHub(client: Client, schema: readonly SchemaObject[]): Promise<string | undefined> {
  if (schema.length === 0) return undefined;
  const {
    rows: [hub],
  } = await client.execute('SELECT count(*) AS count FROM hub');
  if (hub?.count !== 1) return 'hub does not have exactly one row';
  const table = schema.find(({ type, name }) => type === 'table' && name === 'hub');
  return (table && (await damageInValues(client, table))) ?? damageInSequences(client, schema);
}

/** SQLite stores the last number of each table here, in untyped columns. */
async function damageInSequences(client: Client, schema: readonly SchemaObject[]): Promise<string | undefined> {
  const names = schema.filter(({ type }) => type === 'table').map(({ name }) => `'${name}'`);
  const {
    rows: [found],
  } = await client.execute(
    `SELECT count(*) AS count, count(DISTINCT name) AS names,
       count(CASE WHEN typeof(seq) = 'integer' AND seq BETWEEN 0 AND ${MAX_SEQUENCE} AND name IN (${names.join(', ')}) THEN 1 END) AS sound
     FROM sqlite_sequence`,
  );
  if (found?.count !== found?.names) return 'sqlite_sequence lists a table twice';
  return found?.count === found?.sound ? undefined : `sqlite_sequence.seq is not from 0 to ${MAX_SEQUENCE}`;
}

async function damageInRows(
  client: Client,
  schema: readonly SchemaObject[],
  onProgress: (share: number) => void,
): Promise<string | undefined> {
  const steps = [damageInValues, damageInTexts, damageInJson].flatMap((find) =>
    schema.map((table) => () => find(client, table)),
  );
  // Every row is looked up in every index, so the indexes should fit into memory: this halves the time of the default
  // cache.
  await client.execute('PRAGMA cache_size = -64000');
  await client.execute('PRAGMA cell_size_check = 1');
  const damage = await damageInStructure(client, schema);
  if (damage !== undefined) return damage;
  for (const [index, step] of steps.entries()) {
    onProgress((index + 1) / (steps.length + 1));
    const found = await step();
    if (found !== undefined) return found;
  }
  return undefined;
}

async function damageInStructure(client: Client, schema: readonly SchemaObject[]): Promise<string | undefined> {
  const {
    rows: [checked],
  } = await client.execute('SELECT hex(integrity_check) AS found FROM pragma_integrity_check(1)');
  const found = decoded(checked?.found);
  if (found !== 'ok') return found;
  const {
    rows: [orphan],
  } = await client.execute('SELECT hex("table") AS name FROM pragma_foreign_key_check LIMIT 1');
  return orphan ? missing(decoded(orphan.name)) : damageInTasks(client, schema);
}

/** Since schema 10, the reference of a task to its network is not a foreign key. */
async function damageInTasks(client: Client, schema: readonly SchemaObject[]): Promise<string | undefined> {
  if (!schema.some(({ name }) => name === 'tasks_settled_in_order')) return undefined;
  const {
    rows: [orphan],
  } = await client.execute('SELECT 1 FROM tasks WHERE network_seq NOT IN (SELECT network_seq FROM networks) LIMIT 1');
  return orphan && missing('tasks');
}

const missing = (table: string): string => `a row of ${table} refers to a row that does not exist`;

function decoded(hex: Value | undefined): string {
  return Buffer.from(String(hex), 'hex').toString();
}

/** Four times the longest text that the hub stores, with each character escaped twice. */
const MAX_STORED_BYTES = 4 * 1024 * 1024;

type Wrong = { says: string; where: string };

/** Checks all columns in one pass. */
async function damageInValues(client: Client, table: SchemaObject): Promise<string | undefined> {
  const wrong = [...sizesOf(table), ...rangesOf(table), ...formsOf(table)];
  if (wrong.length === 0) return undefined;
  const which = `CASE ${wrong.map(({ where }, index) => `WHEN ${where} THEN ${index}`).join(' ')} END`;
  const { rows } = await client.execute(
    `SELECT which FROM (SELECT ${which} AS which FROM ${table.name}) WHERE which IS NOT NULL LIMIT 1`,
  );
  const [first] = rows;
  return first && wrong[Number(first['which'])]?.says;
}

// A value of hundreds of megabytes would crash the process that reads it.
function sizesOf({ name, texts }: SchemaObject): Wrong[] {
  const says = `a value in ${name} is larger than the hub allows`;
  return texts.map((column) => ({ says, where: `octet_length(${column}) > ${MAX_STORED_BYTES}` }));
}

function rangesOf({ name, integers }: SchemaObject): Wrong[] {
  return integers.map((column) => {
    const { least, most } = rangeOf(column);
    return { says: outsideOf(name, column), where: `${column} NOT BETWEEN ${least} AND ${most}` };
  });
}

function formsOf({ name, texts }: SchemaObject): Wrong[] {
  return texts.flatMap((column) => {
    const form = formOf(name, column);
    return form === undefined ? [] : [{ says: malformed(name, column), where: isMalformed(column, form) }];
  });
}

// GLOB stops at U+0000, but the length reveals the rest.
function isMalformed(column: string, { bytes, globs }: Form): string {
  return `octet_length(${column}) <> ${bytes} OR NOT (${globs.map((glob) => `${column} GLOB '${glob}'`).join(' OR ')})`;
}

async function damageInTexts(client: Client, table: SchemaObject): Promise<string | undefined> {
  if (table.texts.length === 0) return undefined;
  const whole = table.texts.map((column) => `coalesce(${column}, '')`).join(" || ' ' || ");
  for await (const { bytes } of pagesOf(client, table, whole)) {
    if (!isUtf8(bytes)) return `a text in ${table.name} is not UTF-8`;
  }
  return undefined;
}

// Requires texts that are UTF-8.
async function damageInJson(client: Client, table: SchemaObject): Promise<string | undefined> {
  for (const column of table.texts) {
    const json = jsonOf(table.name, column);
    if (json !== undefined && !(await hasOnlyJson(client, table, column, json))) return notJson(table.name, column);
  }
  return undefined;
}

async function hasOnlyJson(client: Client, table: SchemaObject, column: string, json: Json): Promise<boolean> {
  for await (const { bytes, count } of pagesOf(client, table, column)) {
    const texts = count === 0 ? [] : bytes.toString().split(BETWEEN);
    if (texts.length !== count || !texts.every((text) => isJson(json, text))) return false;
  }
  return true;
}

const BETWEEN = '\u0001'; // JSON escapes it
const ROWS_AT_ONCE = 200; // a row may hold 70,000 characters

type TextPage = { bytes: Buffer; count: number };

/** Yields the non-null values of an expression as bytes, separated by U+0001. */
async function* pagesOf(
  client: Client,
  { name, hasRowid }: SchemaObject,
  expression: string,
): AsyncGenerator<TextPage> {
  const number = hasRowid ? 'rowid' : '0'; // tables without a rowid are small and are read as one page
  const page = `SELECT ${number} AS number, ${expression} AS text
    FROM ${name} WHERE ${number} > ? ORDER BY 1 ${hasRowid ? `LIMIT ${ROWS_AT_ONCE}` : ''}`;
  for (let last: Value = -1n; last !== null; ) {
    const found: ResultSet = await client.execute({
      sql: `SELECT max(number), count(text), CAST(group_concat(text, char(1)) AS BLOB) FROM (${page})`,
      args: [last],
    });
    const [[reached = null, count = 0, bytes] = []] = found.rows.map(Object.values);
    if (bytes instanceof ArrayBuffer) yield { bytes: Buffer.from(bytes), count: Number(count) };
    last = reached;
  }
}
