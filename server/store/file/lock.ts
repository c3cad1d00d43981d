// Ensures that one hub runs per data directory: it holds a write lock on a second, empty SQLite file, which the kernel
// releases when the process ends.
import { pathToFileURL } from 'node:url';
import { type Client, createClient, LibsqlError } from '@libsql/client';
import { StartError } from '../../domain/errors.ts';

export type Lock = { release(): void };

/** Another process holds the lock. */
export class AlreadyRunning extends StartError {}

export async function takeLock(file: string): Promise<Lock> {
  const client = openFile(file);
  try {
    await client.execute('PRAGMA journal_mode = memory'); // nothing is ever written, and a journal file would remain
    const held = await client.transaction('write');
    return {
      release: () => {
        held.close();
        client.close();
      },
    };
  } catch (error) {
    client.close();
    throw refusalOf(error, file);
  }
}

function refusalOf(error: unknown, file: string): unknown {
  const code = error instanceof LibsqlError ? error.code : '';
  if (code === 'SQLITE_BUSY') {
    return new AlreadyRunning(
      `another agenthub is using this data directory (${file} is locked); stop it, or choose another with --data`,
    );
  }
  if (code === 'SQLITE_NOTADB') {
    return new StartError(`${file} is not an agenthub lock file; remove it, or choose another directory with --data`);
  }
  return error;
}

function openFile(file: string): Client {
  try {
    return createClient({ url: pathToFileURL(file).href, concurrency: 1 });
  } catch (error) {
    throw new StartError(
      `cannot create the lock file ${file} (${error instanceof Error ? error.message : String(error)}); choose another directory with --data`,
    );
  }
}
