// Creates the schema in an empty database.
import { StartError } from '../../../domain/errors.ts';
import { SCHEMA_VERSION } from '../../file/migrations.ts';
import schema from './schema.sql' with { type: 'text' };
import type { Statements } from './statements.ts';

const LEAST_VERSION = 150_000;
const VERSION =
  "SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name";

/** Of the hubs that start at the same time, one creates the schema, and the others wait. */
const LOCK = 'SELECT pg_advisory_xact_lock(-1)';

export async function createSchema(statements: Statements): Promise<void> {
  const server = await statements.first<{ version: number; name: string }>(VERSION, []);
  if (server !== undefined && server.version < LEAST_VERSION)
    throw new StartError(`the database runs on PostgreSQL ${server.name}; agenthub needs version 15 or later`);
  await statements.exec('BEGIN');
  try {
    await statements.exec(LOCK);
    if (!(await hasSchema(statements))) {
      await statements.exec(schema);
      await statements.run(FIRST_ROW, [SCHEMA_VERSION]);
    }
    await statements.exec('COMMIT');
  } catch (error) {
    await statements.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Throws StartError if the database has tables of something else, or of a newer version. */
export async function hasSchema(statements: Statements): Promise<boolean> {
  const found = await statements.first<{ hub: string | null; tables: number }>(FOUND, []);
  if (found?.hub == null) {
    if ((found?.tables ?? 0) > 0)
      throw new StartError('the database has tables, but none of agenthub; name an empty database');
    return false;
  }
  const hub = await statements.first<{ schema_version: number }>('SELECT schema_version FROM hub', []);
  if (hub !== undefined && hub.schema_version > SCHEMA_VERSION)
    throw new StartError(
      `the database has schema ${hub.schema_version}, from a newer agenthub; this one knows ${SCHEMA_VERSION}`,
    );
  return true;
}

/** Throws StartError if there is no hub in the database. */
export async function assertHoldsHub(statements: Statements): Promise<void> {
  if (!(await hasSchema(statements))) throw new StartError('the database holds no hub');
}

/** The version is that of a database file with the same tables. */
const FIRST_ROW = `INSERT INTO hub (only_row, schema_version, epoch, id_key)
  VALUES (1, ?, substr(md5(gen_random_uuid()::text), 1, 12), replace(gen_random_uuid()::text, '-', ''))`;

const FOUND = `SELECT to_regclass('hub') AS hub, (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname = current_schema()) AS tables`;
