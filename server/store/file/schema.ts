// The migrations, and the schema of each version, created in memory: what every file of that version must contain.
import { type Client, createClient, type Value } from '@libsql/client';
import first from '../migrations/0001-first.sql' with { type: 'text' };
import disabledUsers from '../migrations/0002-disabled-users.sql' with { type: 'text' };
import availability from '../migrations/0003-availability.sql' with { type: 'text' };
import lean from '../migrations/0004-lean.sql' with { type: 'text' };
import networkKeys from '../migrations/0005-network-keys.sql' with { type: 'text' };
import boundedWork from '../migrations/0006-bounded-work.sql' with { type: 'text' };
import unfinishedWork from '../migrations/0007-unfinished-work.sql' with { type: 'text' };
import progress from '../migrations/0008-progress.sql' with { type: 'text' };
import notifiers from '../migrations/0009-notifiers.sql' with { type: 'text' };
import durations from '../migrations/0010-durations.sql' with { type: 'text' };
import statusSince from '../migrations/0011-status-since.sql' with { type: 'text' };

/**
 * Each migrates a file from the version of its index to the next. A released migration never changes, because existing
 * files contain its exact SQL.
 */
export const MIGRATIONS: readonly string[] = [
  first,
  disabledUsers,
  availability,
  lean,
  networkKeys,
  boundedWork,
  unfinishedWork,
  progress,
  notifiers,
  durations,
  statusSince,
];
export const SCHEMA_VERSION = MIGRATIONS.length;

/** A row of a file's schema; `sql` is empty for an index that SQLite creates for a constraint. */
export type SchemaRow = { type: string; name: string; table: string; sql: string };

export type SchemaObject = SchemaRow & {
  /** The text columns of a table. */
  texts: readonly string[];
  /** The integer columns of a table. */
  integers: readonly string[];
  hasRowid: boolean;
};

const known = new Map<number, Promise<readonly SchemaObject[]>>();

/** Returns the tables, indexes and triggers of a version. */
export function schemaOf(version: number): Promise<readonly SchemaObject[]> {
  const schema = known.get(version) ?? makeSchema(version);
  known.set(version, schema);
  return schema;
}

async function makeSchema(version: number): Promise<SchemaObject[]> {
  const client = createClient({ url: ':memory:', concurrency: 1 });
  try {
    for (const migration of MIGRATIONS.slice(0, version)) await client.executeMultiple(migration);
    return await listObjects(client);
  } finally {
    client.close();
  }
}

async function listObjects(client: Client): Promise<SchemaObject[]> {
  const { rows } = await client.execute(
    `SELECT type, name, tbl_name, coalesce(sql, '') AS sql,
       (SELECT group_concat(c.name) FROM pragma_table_xinfo(o.name) c WHERE o.type = 'table' AND c.type = 'TEXT') AS texts,
       (SELECT group_concat(c.name) FROM pragma_table_xinfo(o.name) c WHERE o.type = 'table' AND c.type = 'INTEGER') AS integers,
       (SELECT l.wr FROM pragma_table_list l WHERE l.name = o.name) AS without_rowid
     FROM sqlite_schema o`,
  );
  return rows.map(({ type, name, tbl_name, sql, texts, integers, without_rowid }) => ({
    type: String(type),
    name: String(name),
    table: String(tbl_name),
    sql: String(sql),
    texts: namesIn(texts),
    integers: namesIn(integers),
    hasRowid: without_rowid === 0,
  }));
}

function namesIn(list: Value | undefined): string[] {
  return typeof list === 'string' ? list.split(',') : [];
}
