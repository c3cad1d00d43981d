// Creates the schema in an empty database, and upgrades that of an earlier version.
import { StartError } from '../../../domain/errors.ts';
import type { Statements } from './connection/statements.ts';
import tables from './schema.sql' with { type: 'text' };
import { assertKnown, expand, SCHEMA, SCHEMA_LOCK, type Schema } from './upgrade.ts';

const LEAST_VERSION = 150_000;
const VERSION =
  "SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name";

/** Of the hubs that start at the same time, one creates or upgrades the schema, and the others wait. */
export async function createSchema(statements: Statements, schema: Schema = SCHEMA): Promise<void> {
  const server = await statements.first<{ version: number; name: string }>(VERSION, []);
  if (server !== undefined && server.version < LEAST_VERSION)
    throw new StartError(`the database runs on PostgreSQL ${server.name}; agenthub needs version 15 or later`);
  await statements.exec('BEGIN');
  try {
    await statements.exec(SCHEMA_LOCK);
    if (await hasTables(statements)) await expand(statements, schema);
    else {
      await statements.exec(tables);
      await statements.run(FIRST_ROW, [SCHEMA.version]);
      await expand(statements, schema);
    }
    await statements.exec('COMMIT');
  } catch (error) {
    await statements.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Throws StartError if the database has tables of something else, or of a version that this one does not know. */
export async function hasSchema(statements: Statements): Promise<boolean> {
  const isThere = await hasTables(statements);
  if (isThere) await assertKnown(statements);
  return isThere;
}

async function hasTables(statements: Statements): Promise<boolean> {
  const found = await statements.first<{ hub: string | null; tables: number }>(FOUND, []);
  if (found?.hub == null && (found?.tables ?? 0) > 0)
    throw new StartError('the database has tables, but none of agenthub; name an empty database');
  return found?.hub != null;
}

/** Throws StartError if there is no hub in the database. */
export async function assertHoldsHub(statements: Statements): Promise<void> {
  if (!(await hasSchema(statements))) throw new StartError('the database holds no hub');
}

const FIRST_ROW = `INSERT INTO hub (only_row, schema_version, needed_version, epoch, id_key)
  VALUES (1, ?1, ?1, substr(md5(gen_random_uuid()::text), 1, 12), replace(gen_random_uuid()::text, '-', ''))`;

const FOUND = `SELECT to_regclass('hub') AS hub, (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname = current_schema()) AS tables`;
