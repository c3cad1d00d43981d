// The migrations, and what the schema is after them, made anew in memory: what every file of that version must hold.
import { createClient, type Client } from '@libsql/client';
import first from './migrations/0001-first.sql' with { type: 'text' };
import disabledUsers from './migrations/0002-disabled-users.sql' with { type: 'text' };

/** Each brings a file from the version of its index to the next. What was released is never changed again: files hold its words. */
export const MIGRATIONS: readonly string[] = [first, disabledUsers];
export const SCHEMA_VERSION = MIGRATIONS.length;

export type SchemaObject = {
  type: string;
  name: string;
  sql: string;
  /** Columns of a table that hold text. */
  texts: readonly string[];
  hasRowid: boolean;
};

/** Tables, indexes and triggers of a version. */
export async function schemaOf(version: number): Promise<SchemaObject[]> {
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
    `SELECT type, name, sql, (SELECT group_concat(c.name) FROM pragma_table_xinfo(o.name) c WHERE o.type = 'table' AND c.type = 'TEXT') AS texts,
       (SELECT l.wr FROM pragma_table_list l WHERE l.name = o.name) AS without_rowid
     FROM sqlite_schema o WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  );
  return rows.map(({ type, name, sql, texts, without_rowid }) => ({
    type: String(type), name: String(name), sql: String(sql), texts: texts === null ? [] : String(texts).split(','), hasRowid: without_rowid === 0,
  }));
}
