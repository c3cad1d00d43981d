// The row of the hub: the epoch of its events, the key of its ids and the version of its access rights; and the row
// counts of the whole database.
import type { Statements } from './engine/libsql/statements.ts';
import type { Sql } from './engine/sql.ts';
import type { Reader, Transaction } from './engine/transaction.ts';

/** Invalidates all earlier event ids, so readers must start again. */
export const RENEW_EPOCH: Sql = {
  libsql: 'UPDATE hub SET epoch = lower(hex(randomblob(6)))',
  postgres: 'UPDATE hub SET epoch = substr(md5(gen_random_uuid()::text), 1, 12)',
};

export async function renewEpoch(tx: Transaction): Promise<void> {
  await tx.run(RENEW_EPOCH);
}

/** Reads the key right after the database is opened. */
export function idKeyOn(statements: Statements): string {
  return statements.first<{ id_key: string }>('SELECT id_key FROM hub', [])?.id_key ?? '';
}

const ACCESS_VERSION = 'SELECT access_version FROM hub';

type AccessVersion = { access_version: number };

/** Triggers of the schema increase it with every change of tokens, members, users and networks. */
export async function accessVersion(reader: Reader): Promise<number> {
  const hub = await reader.first<AccessVersion>(ACCESS_VERSION);
  return hub?.access_version ?? 0;
}

/** Reads it outside a transaction. */
export function accessVersionOn(statements: Statements): number {
  return statements.first<AccessVersion>(ACCESS_VERSION, [])?.access_version ?? 0;
}

/** The version as seen by the writes of one transaction, read again only after a statement that may have changed it. */
export type VersionInGroup = {
  read(): number;
  /** Call after a statement that may have changed it, and after a rollback. */
  forget(): void;
};

/** `committed` is the version before the transaction. Reading it for every write took 4% of a send. */
export function versionInGroup(statements: Statements, committed: number): VersionInGroup {
  let known: number | undefined = committed;
  return { read: () => (known ??= accessVersionOn(statements)), forget: () => void (known = undefined) };
}

export type Contents = { users: number; networks: number; tasks: number; messages: number };

export async function countContents(reader: Reader): Promise<Contents> {
  const counts = await reader.first<Contents>(
    `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM networks WHERE removed_at IS NULL) AS networks,
       (SELECT count(*) FROM tasks) AS tasks, (SELECT count(*) FROM messages) AS messages`,
  );
  return counts ?? { users: 0, networks: 0, tasks: 0, messages: 0 };
}
