// Brings a database file to the newest schema: forward only, each migration in a transaction of its own. A file of a
// newer program or of another one is refused before anything in it changes.
import type { Client } from '@libsql/client';
import { StartError } from '../domain/errors.ts';
import { damaged, onFile } from './opening.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './schema.ts';

// "ahub" in ASCII: tells our file from any other SQLite file.
const APPLICATION_ID = 0x61687562;

export function migrate(file: string): Promise<void> {
  return onFile(file, async (client) => {
    const version = await versionOf(client, file);
    for (let next = version; next < SCHEMA_VERSION; next++) await apply(client, next);
  });
}

/** The version of its schema. Throws a StartError for a file that this program cannot use: no database, another program's, or a newer one. */
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

async function apply(client: Client, index: number): Promise<void> {
  const tx = await client.transaction('write');
  try {
    await tx.executeMultiple(MIGRATIONS[index] ?? '');
    await tx.executeMultiple(`PRAGMA user_version = ${index + 1}; PRAGMA application_id = ${APPLICATION_ID}`);
    await tx.commit();
  } finally {
    tx.close();
  }
}
