// The version of who may do what: triggers of the schema raise it with every change of tokens, members, users and networks.
import type { Client } from '@libsql/client';
import type { Reader } from './database.ts';

const VERSION = 'SELECT access_version FROM hub';

export async function version(reader: Reader): Promise<number> {
  const hub = await reader.first<{ access_version: number }>(VERSION);
  return hub?.access_version ?? 0;
}

/** The same when the database has just been opened. */
export async function versionOf(client: Client): Promise<number> {
  const { rows } = await client.execute(VERSION);
  return Number(rows[0]?.[0] ?? 0);
}
