// Opens database files, and turns a failure into one line that says what to do. Nothing has been acknowledged before
// the file is open, so every database error there is a startup error.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, createClient } from '@libsql/client';
import { StartError } from '../../domain/errors.ts';
import { primaryName } from '../engine/libsql/errors.ts';

/** Creates a client with one connection, since a PRAGMA applies to one connection. */
export function openFile(file: string): Client {
  return openOrFail(file, () => createClient({ url: pathToFileURL(file).href, concurrency: 1 }));
}

const openedFiles = new Set<string>();

/** Whether SQLite has opened the file in this process; it may still have it open, since connections close late. */
export function wasOpened(file: string): boolean {
  return openedFiles.has(resolve(file));
}

/** Returns the result of `open`. Throws StartError with the name of the file if it fails. */
export function openOrFail<Opened>(file: string, open: () => Opened): Opened {
  openedFiles.add(resolve(file));
  try {
    return open();
  } catch (error) {
    throw cannotOpen(file, error instanceof Error ? error.message : String(error));
  }
}

/** Returns the result of `action`; a database error in it becomes a StartError with the name of the file. */
export async function opening<T>(file: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const name = primaryName(error);
    if (name === undefined) throw error;
    throw cannotOpen(file, name === 'SQLITE_ERROR' ? String(error instanceof Error && error.message) : name);
  }
}

/** The same with a connection that is closed afterwards. */
export function onFile<T>(file: string, action: (client: Client) => Promise<T>): Promise<T> {
  return opening(file, async () => {
    const client = openFile(file);
    try {
      return await action(client);
    } finally {
      client.close();
    }
  });
}

/** The error for a database with invalid contents. */
export function damaged(file: string, what: string): StartError {
  return new StartError(
    `${file} is damaged (${oneLine(what)}); restore a backup, or choose another directory with --data`,
  );
}

export function cannotOpen(file: string, cause: string): StartError {
  return new StartError(`${file} cannot be opened as a database (${oneLine(cause)}): ${ADVICE[cause] ?? NO_DATABASE}`);
}

const NO_DATABASE =
  'not readable, damaged or not a database; restore a backup, or choose another directory with --data';

const ADVICE: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another program is using it; stop that program, then try again',
  SQLITE_FULL: 'the disk is full; free some space, then try again',
  SQLITE_IOERR: 'the disk is full or failing',
  SQLITE_READONLY: 'this user does not have write permission',
};

// SQLite's message about a damaged file may contain parts of it.
function oneLine(text: string): string {
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 200);
}
