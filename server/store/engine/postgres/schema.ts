// Creates the schema in an empty database, and upgrades that of an earlier version.
import { StartError } from '../../../domain/errors.ts';
import { ENCODING, IN_UNICODE, someOf } from '../../../domain/health/postgres.ts';
import type { Statements } from './connection/statements.ts';
import tables from './schema.sql' with { type: 'text' };
import { assertKnown, expand, SCHEMA, SCHEMA_LOCK, type Schema } from './upgrade.ts';

const LEAST_VERSION = 150_000;
const SERVER = `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
  current_setting('server_encoding') AS encoding`;

type Server = { version: number; name: string; encoding: string };

/** Of the hubs that start at the same time, one creates or upgrades the schema, and the others wait. */
export async function createSchema(statements: Statements, schema: Schema = SCHEMA): Promise<void> {
  const server = await statements.first<Server>(SERVER, []);
  if (server !== undefined && server.version < LEAST_VERSION)
    throw new StartError(`the database runs on PostgreSQL ${server.name}; agenthub needs version 15 or later`);
  await statements.exec('BEGIN');
  try {
    await statements.exec(SCHEMA_LOCK);
    if (await hasTables(statements)) await expand(statements, schema);
    else {
      assertUnicode(server?.encoding ?? ENCODING);
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

/** A hub that has run on another encoding keeps running, and doctor says so. */
function assertUnicode(encoding: string): void {
  if (encoding !== ENCODING)
    throw new StartError(`the database has the encoding ${encoding}; agenthub needs ${ENCODING}`, IN_UNICODE);
}

/** Throws StartError if the database has tables of something else, or of a version that this one does not know. */
export async function hasSchema(statements: Statements): Promise<boolean> {
  const isThere = await hasTables(statements);
  if (isThere) await assertKnown(statements);
  return isThere;
}

async function hasTables(statements: Statements): Promise<boolean> {
  const found = await statements.first<{ has_hub: number }>(`SELECT ${HAS_HUB} AS has_hub`, []);
  if (found?.has_hub === 1) return true;
  const others = await listOtherTables(statements);
  if (others.length > 0)
    throw new StartError(
      `the database has tables, but none of agenthub (${someOf(others)})`,
      'name an empty database, such as a new one of createdb',
    );
  return false;
}

/** The tables in the schema of the user that are not those of agenthub; without a hub, all tables. */
export async function listOtherTables(statements: Statements): Promise<string[]> {
  const found = await statements.all<{ name: string }>(OTHERS, [TABLES]);
  return found.map(({ name }) => name);
}

/** The tables of schema.sql. */
export const TABLES: readonly string[] = [
  ...['hub', 'hubs', 'commits', 'users', 'networks', 'members', 'tokens', 'invites', 'audit_log', 'sign_ins'],
  ...['sessions', 'session_counts', 'tasks', 'task_counts', 'broadcasts', 'messages', 'inboxes', 'completions'],
  ...['nodes', 'task_events', 'events', 'idempotency', 'move_counts', 'notifiers', 'deliveries', 'notifier_readers'],
  ...['stuck_agents', 'duration_counts', 'stalled_agents', 'told_sessions'],
];

/** Whether the table `hub` is there, and is not that of another program. */
export const HAS_HUB =
  "EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('hub') AND attname = 'schema_version')";

/** Those of an extension, such as PostGIS, come with the database. */
const OTHERS = `SELECT relname AS name FROM pg_class c
  WHERE relkind IN ('r', 'p', 'f') AND relnamespace = to_regnamespace(current_schema())
    AND (relname::text <> ALL (CAST(? AS text[])) OR NOT ${HAS_HUB})
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY relname`;

/** Throws StartError if there is no hub in the database. */
export async function assertHoldsHub(statements: Statements): Promise<void> {
  if (!(await hasSchema(statements))) throw new StartError('the database holds no hub');
}

const FIRST_ROW = `INSERT INTO hub (only_row, schema_version, needed_version, epoch, id_key)
  VALUES (1, ?1, ?1, substr(md5(gen_random_uuid()::text), 1, 12), replace(gen_random_uuid()::text, '-', ''))`;
