// The version of the access access. Triggers of the schema raise it with every change of tokens, members, users and
// networks.
import type { Statements } from './statements.ts';
import type { Reader } from './transaction.ts';

const VERSION = 'SELECT access_version FROM hub';

type Row = { access_version: number };

export async function version(reader: Reader): Promise<number> {
  const hub = await reader.first<Row>(VERSION);
  return hub?.access_version ?? 0;
}

/** Reads it outside a transaction. */
export function versionOn(statements: Statements): number {
  return statements.first<Row>(VERSION, [])?.access_version ?? 0;
}

/** The version as seen by the writes of one transaction, read again only after a statement that may have changed it. */
export type VersionInGroup = {
  read(): number;
  /** Call after a statement that may have changed it, and after a rollback. */
  forget(): void;
};

/** `committed` is the version before the transaction. Reading it for every write took 4 % of a send. */
export function versionInGroup(statements: Statements, committed: number): VersionInGroup {
  let known: number | undefined = committed;
  return { read: () => (known ??= versionOn(statements)), forget: () => void (known = undefined) };
}
