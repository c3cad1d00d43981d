// The facts about a PostgreSQL database from which `agenthub doctor` finds what is wrong.
import type { PostgresFacts } from '../../../domain/health/postgres.ts';
import { shownParts } from '../../../domain/postgres-url.ts';
import type { Inspected } from '../cluster.ts';
import { listHubs } from './cluster.ts';
import { onDatabase, SHORT } from './connection/on-database.ts';
import type { Statements } from './connection/statements.ts';

/** Changes nothing. Throws StartError, with one line that says what to do. */
export function inspectOn(url: string): Promise<Inspected> {
  const inspect = async (statements: Statements): Promise<Inspected> => {
    const facts = await factsOf(statements, shownParts(url));
    return { facts, hubs: facts.hasHub && facts.forbidden.length === 0 ? await listHubs(statements) : [] };
  };
  return onDatabase(url, inspect, SHORT);
}

type Settings = Omit<PostgresFacts, 'database' | 'servers' | 'hasHub' | 'schema' | 'forbidden' | 'standbys'>;
type Row = { [Name in keyof Settings]: Settings[Name] extends boolean ? number : string };

async function factsOf(statements: Statements, { servers, database }: ReturnType<typeof shownParts>) {
  const [row, forbidden, standbys] = await Promise.all([
    statements.first<Row>(SETTINGS, []),
    statements.all<{ name: string }>(FORBIDDEN, []),
    statements.all<PostgresFacts['standbys'][number]>(STANDBYS, []),
  ]);
  if (row === undefined) throw new Error('the server returned no settings');
  return {
    version: row.version,
    user: row.user,
    servers,
    database,
    isReadOnly: row.isReadOnly === 1,
    mayCreate: row.mayCreate === 1,
    ...(await hubOn(statements)),
    forbidden: forbidden.map(({ name }) => name),
    fsync: row.fsync === 1,
    synchronousCommit: row.synchronousCommit,
    wantedStandbys: row.wantedStandbys,
    standbys,
  } satisfies PostgresFacts;
}

async function hubOn(statements: Statements): Promise<Pick<PostgresFacts, 'hasHub' | 'schema'>> {
  const found = await statements.first<{ has_hub: number; may_read: number }>(HUB, []);
  const hasHub = found?.has_hub === 1;
  if (!hasHub || found.may_read !== 1) return { hasHub, schema: null };
  const hub = await statements.first<{ schema_version: number }>('SELECT schema_version FROM hub', []);
  return { hasHub, schema: hub?.schema_version ?? null };
}

const HUB = `SELECT to_regclass('hub') IS NOT NULL AS has_hub,
  coalesce(has_table_privilege(to_regclass('hub'), 'SELECT'), false) AS may_read`;

const SETTINGS = `SELECT current_setting('server_version') AS version, current_user::text AS "user",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
  current_setting('fsync') = 'on' AS fsync, current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('synchronous_standby_names') AS "wantedStandbys"`;

const FORBIDDEN = `SELECT relname AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = to_regnamespace(current_schema()) AND to_regclass('hub') IS NOT NULL
    AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
      AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
  ORDER BY relname`;

const STANDBYS = 'SELECT application_name AS name, state, sync_state FROM pg_stat_replication ORDER BY 1';
