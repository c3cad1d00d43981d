// Upgrades the schema of a database on which hubs run, in two steps. The first hub of a version expands the schema:
// hubs of the version before continue to work on it, and still start. Once none of them runs, the leader contracts it.
import { StartError } from '../../../domain/errors.ts';
import { IS_ALIVE, SERVER_NOW } from './alive.ts';
import type { Statements } from './connection/statements.ts';

/** What leads from the version before to this one. */
export type Upgrade = {
  version: number;
  /** Adds what this version needs. Hubs of the version before can read and write what they know. */
  expand: string;
  /** Removes what only the version before used, or requires what it did not write. */
  contract?: string;
};

/** The version is not that of a database file, whose tables change at other times. */
export type Schema = { version: number; upgrades: readonly Upgrade[] };

/** schema.sql creates this version. An upgrade that has been released never changes. */
export const SCHEMA: Schema = {
  version: 14,
  upgrades: [
    {
      version: 14,
      expand: 'CREATE TABLE commits (hub_id text COLLATE "C" PRIMARY KEY, number bigint NOT NULL)',
    },
  ],
};

/** `needed_version` is the oldest version of hubs that can run on the schema. */
type Versions = { schema_version: number; needed_version: number };

/** Only one hub creates or upgrades the schema at a time. Held until the transaction ends. */
export const SCHEMA_LOCK = 'SELECT pg_advisory_xact_lock(-1)';

/** A statement that waits for a table makes all others wait for it. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'";
const VERSIONS = 'SELECT schema_version, needed_version FROM hub';

/** Throws StartError if a hub with this schema cannot run on the database. */
export async function assertKnown(statements: Statements, { version }: Schema = SCHEMA): Promise<Versions> {
  const found = await statements.first<Versions>(VERSIONS, []);
  if (found === undefined) throw new StartError('the table hub of the database is empty: restore it from a backup');
  if (found.needed_version > version)
    throw new StartError(
      `the database has schema ${found.schema_version}, from a newer agenthub; this one knows ${version}`,
      'use the newer one',
    );
  return found;
}

/**
 * Adds what this version needs, in a transaction that holds the lock. A hub of the version before counts as running
 * from now on, so that nobody contracts the schema before it announces itself.
 */
export async function expand(statements: Statements, schema: Schema = SCHEMA): Promise<void> {
  const { schema_version } = await assertKnown(statements, schema);
  if (schema_version > schema.version) return void (await statements.run(STARTING, [schema.version]));
  const missing = schema.upgrades.filter(({ version }) => version > schema_version);
  if (missing.length === 0) return;
  await statements.exec(LOCK_TIMEOUT);
  for (const upgrade of missing) await statements.exec(upgrade.expand);
  await statements.run('UPDATE hub SET schema_version = ?', [schema.version]);
}

/** Removes what no running hub needs. Returns the oldest version that can run on the database afterwards. */
export async function contract(statements: Statements, schema: Schema = SCHEMA): Promise<number> {
  await statements.exec(`BEGIN; ${SCHEMA_LOCK}; ${LOCK_TIMEOUT}`);
  try {
    const { needed_version: needed } = await assertKnown(statements, schema);
    const oldest = (await statements.first<{ version: number | null }>(OLDEST, []))?.version;
    const target = Math.min(schema.version, oldest ?? schema.version);
    for (const { version, contract: step } of schema.upgrades)
      if (step !== undefined && version > needed && version <= target) await statements.exec(step);
    if (target > needed) await statements.run('UPDATE hub SET needed_version = ?', [target]);
    await statements.exec('COMMIT');
    return Math.max(needed, target);
  } catch (error) {
    await statements.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}

const OLDEST = `SELECT min(schema_version) AS version FROM hubs WHERE ${IS_ALIVE}`;
/** Counts as alive until the hub has announced itself. */
const STARTING = `INSERT INTO hubs (hub_id, started_at, seen_at, heartbeats_until, is_leader, events_behind, streams, session,
    schema_version)
  VALUES ('starting ' || gen_random_uuid(), ${SERVER_NOW}, ${SERVER_NOW}, 0, 0, 0, 0, pg_backend_pid(), ?)`;
