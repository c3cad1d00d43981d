// The facts about a PostgreSQL database from which `agenthub doctor` finds what is wrong.
import { StartError } from '../../../domain/errors.ts';
import type { PostgresFacts } from '../../../domain/health/postgres.ts';
import type { ServerFacts } from '../../../domain/health/postgres-servers.ts';
import { choosesEncryption, serversOf, shownParts } from '../../../domain/postgres-url.ts';
import type { Inspected } from '../cluster.ts';
import { listHubs } from './cluster.ts';
import { onDatabase, SHORT } from './connection/on-database.ts';
import { stateOf } from './connection/server-state.ts';
import type { Statements } from './connection/statements.ts';
import { listForbidden, listMissing } from './privileges.ts';
import { HAS_HUB, listOtherTables } from './schema.ts';

/** Changes nothing. Throws StartError, with one line that says what to do. */
export function inspectOn(url: string): Promise<Inspected> {
  const inspect = async (statements: Statements): Promise<Inspected> => {
    const facts = { ...(await factsOf(statements, shownParts(url))), isEncryptionChosen: choosesEncryption(url) };
    const servers = await inspectServers(url);
    if (!facts.hasHub) return { facts, servers, hubs: [] };
    return { facts, servers, hubs: facts.mayReadHubs ? await listHubs(statements) : null };
  };
  return onDatabase(url, inspect, SHORT);
}

type Settings = Omit<
  PostgresFacts,
  | 'database'
  | 'servers'
  | 'hasHub'
  | 'schema'
  | 'missing'
  | 'forbidden'
  | 'mayReadHubs'
  | 'isReader'
  | 'otherTables'
  | 'isEncryptionChosen'
  | 'standbys'
>;
type Row = { [Name in keyof Settings]: Settings[Name] extends boolean ? number : string };

async function factsOf(statements: Statements, { servers, database }: ReturnType<typeof shownParts>) {
  const [row, missing, forbidden, otherTables, standbys] = await Promise.all([
    statements.first<Row>(SETTINGS, []),
    listMissing(statements),
    listForbidden(statements),
    listOtherTables(statements),
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
    encoding: row.encoding,
    isEncrypted: row.isEncrypted === 1,
    isLocal: row.isLocal === 1,
    ...(await hubOn(statements)),
    missing: missing.map(({ name }) => name),
    forbidden: forbidden.map(({ name }) => name),
    mayReadHubs: !forbidden.some(({ name, may_read }) => name === 'hubs' && may_read === 0),
    isReader: forbidden.every(({ may_read }) => may_read === 1),
    otherTables,
    fsync: row.fsync === 1,
    synchronousCommit: row.synchronousCommit,
    wantedStandbys: row.wantedStandbys,
    standbys,
  } satisfies Omit<PostgresFacts, 'isEncryptionChosen'>;
}

async function hubOn(statements: Statements): Promise<Pick<PostgresFacts, 'hasHub' | 'schema'>> {
  const found = await statements.first<{ has_hub: number; may_read: number }>(HUB, []);
  const hasHub = found?.has_hub === 1;
  if (!hasHub || found.may_read !== 1) return { hasHub, schema: null };
  const hub = await statements.first<{ schema_version: number }>('SELECT schema_version FROM hub', []);
  return { hasHub, schema: hub?.schema_version ?? null };
}

/** What each of several servers is. Those that cannot be reached say why. */
async function inspectServers(url: string): Promise<ServerFacts[]> {
  const urls = serversOf(url);
  return urls.length === 1 ? [] : Promise.all(urls.map(inspectServer));
}

async function inspectServer(url: string): Promise<ServerFacts> {
  const { servers: server } = shownParts(url);
  try {
    const { isStandby, isReadOnly, timeline: found } = await onDatabase(url, stateOf, SHORT);
    const { system, timeline } = found ?? { system: null, timeline: null };
    return { server, isStandby, takesWrites: !isReadOnly, system, timeline, problem: null };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { server, isStandby: false, takesWrites: false, system: null, timeline: null, problem: error.says };
  }
}

const HUB = `SELECT ${HAS_HUB} AS has_hub,
  coalesce(has_table_privilege(to_regclass('hub'), 'SELECT'), false) AS may_read`;

const SETTINGS = `SELECT current_setting('server_version') AS version, current_user::text AS "user",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
  current_setting('server_encoding') AS encoding,
  EXISTS (SELECT 1 FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS "isEncrypted",
  coalesce(inet_server_addr() <<= '127.0.0.0/8' OR host(inet_server_addr()) = '::1', true) AS "isLocal",
  current_setting('fsync') = 'on' AS fsync, current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('synchronous_standby_names') AS "wantedStandbys"`;

const STANDBYS = 'SELECT application_name AS name, state, sync_state FROM pg_stat_replication ORDER BY 1';
