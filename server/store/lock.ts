// One hub per data directory: a second, empty SQLite file held under a write lock, which the kernel releases when the
// process ends, however it ends.
import { pathToFileURL } from 'node:url';
import { createClient, LibsqlError } from '@libsql/client';
import { StartError } from '../domain/errors.ts';

export type Lock = { release(): void };

export async function takeLock(file: string): Promise<Lock> {
  const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 });
  try {
    const held = await client.transaction('write');
    return { release: () => (held.close(), client.close()) };
  } catch (error) {
    client.close();
    throw error instanceof LibsqlError && error.code === 'SQLITE_BUSY'
      ? new StartError(`another agenthub runs on this data directory (${file} is locked); stop it, or choose another with --data`)
      : error;
  }
}
