// The checks of a PostgreSQL database that hubs share: from facts to findings.
import { timestamp } from '../time/time.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export type PostgresFacts = {
  version: string;
  database: string;
  servers: string;
  user: string;
  /** A standby, or a server or user that was told to take no writes. */
  isReadOnly: boolean;
  /** Whether the user may create the tables of a hub. */
  mayCreate: boolean;
  encoding: string;
  isEncrypted: boolean;
  /** Whether the URL says if connections are encrypted. */
  isEncryptionChosen: boolean;
  /** Whether the server is on this machine. */
  isLocal: boolean;
  hasHub: boolean;
  /** Null without a hub, and if the user may not read it. */
  schema: number | null;
  /** Tables of agenthub that the database lacks. */
  missing: readonly string[];
  /** Tables of agenthub that the user may not read and write. */
  forbidden: readonly string[];
  mayReadHubs: boolean;
  /** Whether the user may at least read all tables. */
  isReader: boolean;
  /** Tables in the schema that are not of agenthub. */
  otherTables: readonly string[];
  fsync: boolean;
  synchronousCommit: string;
  /** The setting synchronous_standby_names. */
  wantedStandbys: string;
  /** `state` is null if the user may not see it. */
  standbys: readonly { name: string | null; state: string | null; sync_state: string | null }[];
};

/** A hub on the database. */
export type ClusterMember = {
  hub_name: string;
  version: string;
  seen_at: number;
  is_alive: boolean;
  is_leader: boolean;
  is_draining: boolean;
  events_behind: number;
};

/** `supported` is the schema of this program. */
export function postgresFindings(facts: PostgresFacts, supported: number): Finding[] {
  return [
    databaseFinding(facts),
    ...encodingFindings(facts),
    ...encryptionFindings(facts),
    privilegesFinding(facts),
    ...missingFindings(facts),
    ...schemaFindings(facts, supported),
    ...otherTablesFindings(facts),
    ...durabilityFindings(facts),
    replicationFinding(facts),
  ];
}

function databaseFinding({ version, database, servers, user, isReadOnly }: PostgresFacts): Finding {
  const where = `PostgreSQL ${version} at ${servers}, database ${database}, user ${user}`;
  return isReadOnly
    ? fail(
        'database',
        `${where}: it takes no writes`,
        'name the server that takes writes, or all servers, in the URL; if it is not a standby, look for default_transaction_read_only',
      )
    : ok('database', where);
}

export const ENCODING = 'UTF8';
export const IN_UNICODE = 'create one with createdb --encoding=UTF8 --template=template0';

function encodingFindings({ encoding }: PostgresFacts): Finding[] {
  if (encoding === ENCODING) return [];
  return [fail('encoding', `the database has ${encoding}, in which many characters cannot be stored`, IN_UNICODE)];
}

function encryptionFindings({ isEncrypted, isEncryptionChosen, isLocal }: PostgresFacts): Finding[] {
  if (isEncrypted || isEncryptionChosen || isLocal) return [];
  return [
    warn(
      'encryption',
      'the connections to the database are not encrypted',
      'set sslmode=verify-full in the URL, or sslmode=disable if you trust the network between here and the server',
    ),
  ];
}

/** The remedy for a database that lacks a table. */
export const RESTORE = 'restore the database from a backup';

function missingFindings({ missing }: PostgresFacts): Finding[] {
  return missing.length === 0 ? [] : [fail('tables', `the database lacks ${someOf(missing)}`, RESTORE)];
}

const NAMED = 3;

/** Names the first ones. */
export function someOf(names: readonly string[]): string {
  const others = names.length > NAMED ? ` and ${names.length - NAMED} others` : '';
  return `${names.slice(0, NAMED).join(', ')}${others}`;
}

function privilegesFinding({ user, forbidden, isReader, mayCreate, hasHub }: PostgresFacts): Finding {
  if (!hasHub)
    return mayCreate
      ? ok('privileges', `${user} may create the tables`)
      : fail(
          'privileges',
          `${user} may not create tables`,
          `let ${user} own the database: ALTER DATABASE … OWNER TO …`,
        );
  if (forbidden.length === 0) return ok('privileges', `${user} may read and write all tables`);
  return fail(
    'privileges',
    isReader
      ? `${user} may only read the tables, and a hub writes them: ${someOf(forbidden)}`
      : `${user} may not read and write ${someOf(forbidden)}`,
    allowing(user),
  );
}

/** The remedy for a user who may not read and write all tables. */
export function allowing(user: string): string {
  return `use the user who owns the tables, or GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "${user}"`;
}

/** None if the privileges, which are a finding, are too few to know it. */
function schemaFindings({ hasHub, mayCreate, schema, otherTables }: PostgresFacts, supported: number): Finding[] {
  if (!hasHub)
    return mayCreate && otherTables.length === 0
      ? [warn('schema', 'the database holds no hub yet', 'the first start creates the tables')]
      : [];
  if (schema === null) return [];
  return schema === supported
    ? [ok('schema', `${schema}, current`)]
    : [
        fail(
          'schema',
          `${schema}, and this agenthub has ${supported}`,
          'use the version of agenthub that the hubs run',
        ),
      ];
}

function otherTablesFindings({ database, hasHub, otherTables }: PostgresFacts): Finding[] {
  if (otherTables.length === 0) return [];
  const names = someOf(otherTables);
  return hasHub
    ? [
        warn(
          'other tables',
          `the tables of agenthub are in ${database} together with others: ${names}`,
          'move the others to another database or schema: an upgrade may need their names',
        ),
      ]
    : [
        fail(
          'other tables',
          `the database ${database} belongs to another program: it has ${names}, and no table of agenthub`,
          'name an empty database, such as a new one of createdb: a hub does not start on this one',
        ),
      ];
}

function durabilityFindings({ fsync, synchronousCommit }: PostgresFacts): Finding[] {
  if (!fsync)
    return [
      fail(
        'durability',
        'fsync is off: a power cut can lose acknowledged writes and damage the database',
        'set fsync = on in postgresql.conf, and reload the server',
      ),
    ];
  if (synchronousCommit === 'off')
    return [
      warn(
        'durability',
        'synchronous_commit is off: a crash of the server loses the last acknowledged writes',
        'set synchronous_commit = on for the server, the database or the user',
      ),
    ];
  return [ok('durability', 'an acknowledged write is on the disk of the server')];
}

function replicationFinding({ standbys, wantedStandbys, user }: PostgresFacts): Finding {
  if (standbys.some(({ state }) => state === null))
    return warn('replication', `${user} may not see the state of the standbys`, `GRANT pg_monitor TO "${user}"`);
  const streaming = standbys.filter(({ state }) => state === 'streaming');
  const isSynchronous = streaming.some(({ sync_state }) => sync_state === 'sync' || sync_state === 'quorum');
  if (wantedStandbys !== '' && !isSynchronous)
    return fail(
      'replication',
      `writes wait for a synchronous standby (${wantedStandbys}), and none is connected`,
      'start the standby, or empty synchronous_standby_names and reload the server',
    );
  const listed = standbys.map(({ name, state, sync_state }) => `${name} (${sync_state}, ${state})`).join(', ');
  if (standbys.length === 0)
    return ok('replication', 'no standby is connected: the data is as safe as the disk of the server');
  return isSynchronous
    ? ok('replication', `acknowledged writes are on a standby: ${listed}`)
    : warn(
        'replication',
        `no standby is synchronous: ${listed}; if the server is lost, so are the last acknowledged writes`,
        'name the standby in synchronous_standby_names, which makes each write wait for it',
      );
}

const FAR_BEHIND = 1_000;

export function clusterFindings(hubs: readonly ClusterMember[]): Finding[] {
  const alive = hubs.filter(({ is_alive }) => is_alive);
  if (alive.length === 0)
    return [warn('cluster', 'no hub runs on the database', 'start one, and run doctor again'), ...lostFindings(hubs)];
  return [leaderFinding(alive), ...versionFindings(alive), ...behindFindings(alive), ...lostFindings(hubs)];
}

function leaderFinding(alive: readonly ClusterMember[]): Finding {
  const leader = alive.find(({ is_leader }) => is_leader);
  const names = alive.map(({ hub_name, is_draining }) => (is_draining ? `${hub_name} (draining)` : hub_name));
  const says = alive.length === 1 ? `1 hub runs: ${names[0]}` : `${alive.length} hubs run: ${names.join(', ')}`;
  return leader === undefined
    ? warn(
        'cluster',
        `${says}; none runs the sweeps`,
        'run doctor again after a few seconds; if there is still none, end the session that holds the advisory lock -2 (see pg_locks)',
      )
    : ok('cluster', `${says}; ${leader.hub_name} runs the sweeps`);
}

function versionFindings(alive: readonly ClusterMember[]): Finding[] {
  const versions = [...new Set(alive.map(({ version }) => version))];
  return versions.length < 2
    ? []
    : [warn('cluster', `the hubs run different versions: ${versions.join(', ')}`, 'run the same version everywhere')];
}

function behindFindings(alive: readonly ClusterMember[]): Finding[] {
  return alive
    .filter(({ events_behind }) => events_behind > FAR_BEHIND)
    .map(({ hub_name, events_behind }) =>
      warn(
        'cluster',
        `${hub_name} still has ${events_behind} stored events to send to its streams`,
        'check the CPU of its machine, and its connection to the database',
      ),
    );
}

function lostFindings(hubs: readonly ClusterMember[]): Finding[] {
  return hubs
    .filter(({ is_alive }) => !is_alive)
    .map(({ hub_name, seen_at }) =>
      warn(
        'cluster',
        `${hub_name} was last seen at ${timestamp(seen_at)} UTC, and did not stop in order`,
        'check its log, and start it again; it is forgotten five minutes after it was last seen',
      ),
    );
}
