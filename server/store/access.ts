// The version of who may do what: triggers of the schema raise it with every change of tokens, members, users and networks.
import type { Client } from '@libsql/client';
import type { Reader } from './database.ts';
import type { Statements } from './prepared-statements.ts';

const VERSION = 'SELECT access_version FROM hub';

type Row = { access_version: number };

export async function version(reader: Reader): Promise<number> {
  const hub = await reader.first<Row>(VERSION);
  return hub?.access_version ?? 0;
}

/** The same when the database has just been opened. */
export async function versionOf(client: Client): Promise<number> {
  const { rows } = await client.execute(VERSION);
  return Number(rows[0]?.[0] ?? 0);
}

/** The version as the writes of one transaction see it, read from the database only where one of them may have changed it. */
export type VersionInGroup = {
  read(): number;
  /** Looks at a statement that writes. */
  note(sql: string): void;
  /** After a rollback. */
  forget(): void;
};

// The tables with the triggers: those that their deletions reach are deleted by no other way.
const CHANGES_RIGHTS = /\b(tokens|members|users|networks)\b/;

/** `committed` is the version before the transaction. Asking for every write took 4 % of a send. */
export function versionInGroup(statements: Statements, committed: number): VersionInGroup {
  let known: number | undefined = committed;
  const forget = (): void => void (known = undefined);
  return {
    read: () => (known ??= statements.first<Row>(VERSION, [])?.access_version ?? 0),
    note: (sql) => {
      if (CHANGES_RIGHTS.test(sql)) forget();
    },
    forget,
  };
}
