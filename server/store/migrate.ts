// Brings a database file to the newest schema: forward only, each migration in a transaction of its own. A file of a
// newer program or of another one is refused before anything in it changes.
import { pathToFileURL } from 'node:url';
import { createClient, LibsqlError, type Client } from '@libsql/client';
import { StartError } from '../domain/errors.ts';
import first from './migrations/0001-first.sql' with { type: 'text' };

const MIGRATIONS: readonly string[] = [first];
export const SCHEMA_VERSION = MIGRATIONS.length;

// "ahub" in ASCII: tells our file from any other SQLite file.
const APPLICATION_ID = 0x61687562;

export async function migrate(file: string): Promise<void> {
  const client = openFile(file);
  try {
    const version = await versionOf(client, file);
    for (let next = version; next < SCHEMA_VERSION; next++) await apply(client, next);
  } finally {
    client.close();
  }
}

/** Throws a StartError for a file that this program cannot use: no database, another program's, or a newer one. */
export async function assertOurs(file: string): Promise<void> {
  const client = openFile(file);
  try {
    await versionOf(client, file);
  } finally {
    client.close();
  }
}

function openFile(file: string): Client {
  try {
    return createClient({ url: pathToFileURL(file).href, concurrency: 1 });
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function versionOf(client: Client, file: string): Promise<number> {
  await assertReadable(client, file);
  const version = await pragma(client, 'user_version');
  const application = await pragma(client, 'application_id');
  const isEmpty = version === 0 && (await pragma(client, 'schema_version')) === 0;
  if (!isEmpty && application !== APPLICATION_ID) {
    throw new StartError(`${file} is a database of another program; choose another data directory with --data`);
  }
  if (version < 0 || (!isEmpty && version === 0)) throw unreadable(file, new Error(`schema ${version}`));
  if (version > SCHEMA_VERSION) {
    throw new StartError(
      `${file} has schema ${version}, and this agenthub knows schemas up to ${SCHEMA_VERSION}; start a newer agenthub on it`,
    );
  }
  return version;
}

// SQLite notices only at the first read.
async function assertReadable(client: Client, file: string): Promise<void> {
  try {
    await client.execute('SELECT 1 FROM sqlite_schema LIMIT 1');
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** What a failure to open means to the person who started the hub. */
function unreadable(file: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = error instanceof LibsqlError ? error.code : error.message;
  return new StartError(`${file} cannot be opened as a database (${code}): not readable, damaged or no database; restore a backup, or choose another directory with --data`);
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
