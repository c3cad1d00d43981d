// Opening a database file, and what a failure to do so means to the person who started the program: one line that says
// what to do. Until the file is open nothing has been promised, so every error of the database is such a failure.
import { pathToFileURL } from 'node:url';
import { type Client, createClient } from '@libsql/client';
import { StartError } from '../../domain/errors.ts';
import { primaryName } from '../engine/errors.ts';

/** A client with one connection, since a PRAGMA reaches one only. */
export function openFile(file: string): Client {
  return triedToOpen(file, () => createClient({ url: pathToFileURL(file).href, concurrency: 1 }));
}

/** Returns what `open` returns; throws a StartError that names the file if it fails. */
export function triedToOpen<Opened>(file: string, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    throw cannotOpen(file, error instanceof Error ? error.message : String(error));
  }
}

/** What `act` answers of the file; an error of the database in it becomes a StartError that names the file. */
export async function opening<T>(file: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const name = primaryName(error);
    if (name === undefined) throw error;
    throw cannotOpen(file, name === 'SQLITE_ERROR' ? String(error instanceof Error && error.message) : name);
  }
}

/** The same with a connection that is closed in the end. */
export function onFile<T>(file: string, act: (client: Client) => Promise<T>): Promise<T> {
  return opening(file, async () => {
    const client = openFile(file);
    try {
      return await act(client);
    } finally {
      client.close();
    }
  });
}

/** The file is a database, and something in it is wrong. */
export function damaged(file: string, what: string): StartError {
  return new StartError(
    `${file} is damaged (${oneLine(what)}); restore a backup, or choose another directory with --data`,
  );
}

function cannotOpen(file: string, cause: string): StartError {
  return new StartError(`${file} cannot be opened as a database (${oneLine(cause)}): ${ADVICE[cause] ?? NO_DATABASE}`);
}

const NO_DATABASE = 'not readable, damaged or no database; restore a backup, or choose another directory with --data';

const ADVICE: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another program is using it; end that program, then start again',
  SQLITE_FULL: 'the disk is full; make space, then start again',
  SQLITE_IOERR: 'the disk is full or failing',
  SQLITE_READONLY: 'this user may not write it',
};

// What SQLite says of a damaged file may hold parts of it.
function oneLine(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 200);
}
