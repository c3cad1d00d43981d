// Which files this program can use: databases of agenthub whose schema it knows. Others are refused and not touched.
import type { Client } from '@libsql/client';
import { StartError } from '../domain/errors.ts';
import { damaged, onFile } from './opening.ts';
import { SCHEMA_VERSION } from './schema.ts';

// "ahub" in ASCII: tells our file from any other SQLite file.
export const APPLICATION_ID = 0x61687562;

/** The version of its schema, 0 for an empty file. Throws a StartError for one that this program cannot use: no database, another program's, or a newer one. */
export function assertOurs(file: string): Promise<number> {
  return onFile(file, (client) => versionOf(client, file));
}

async function versionOf(client: Client, file: string): Promise<number> {
  await client.execute('SELECT 1 FROM sqlite_schema LIMIT 1'); // SQLite looks at the file only at the first read
  const version = await pragma(client, 'user_version');
  const application = await pragma(client, 'application_id');
  const isEmpty = version === 0 && (await pragma(client, 'schema_version')) === 0;
  if (!isEmpty && application !== APPLICATION_ID) {
    throw new StartError(`${file} is a database of another program; choose another data directory with --data`);
  }
  if (version < 0 || (!isEmpty && version === 0)) throw damaged(file, `schema ${version}`);
  if (version > SCHEMA_VERSION) {
    throw new StartError(
      `${file} has schema ${version}, and this agenthub knows schemas up to ${SCHEMA_VERSION}; start a newer agenthub on it`,
    );
  }
  return version;
}

async function pragma(client: Client, name: string): Promise<number> {
  const { rows } = await client.execute(`PRAGMA ${name}`);
  return Number(rows[0]?.[0]);
}
