// The schema of each version, created in memory: what every file of that version must contain.
import { type Client, createClient, type Value } from '@libsql/client';
import { MIGRATIONS } from './migrations.ts';

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
