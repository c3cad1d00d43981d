// A directory of the owner alone, made where it is missing. One that belongs to another user is not used: they could
// read all that is in it, and replace it.
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../domain/errors.ts';
import { BACKUPS, DATABASE, LOCK, SOCKET } from '../domain/files/data-files.ts';

/** From here on every file that the process makes is its owner's alone. */
export function makeDirectory(path: string): void {
  process.umask(0o077);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(`cannot write the data directory ${path} (${reasonOf(error)}); choose another with --data`);
  }
  assertOwn(`the data directory ${path}`, strangerOf(path));
  for (const file of filesIn(path)) assertOwn(file, strangerOf(file));
  assertNoLinks(path);
}

/** Root following a link in another user's directory could create files for that user anywhere. */
export function assertNoLinks(data: string): void {
  if (process.getuid?.() !== 0 || statSync(data).uid === 0) return;
  const paths = [...databaseFiles(data), join(data, SOCKET), join(data, BACKUPS)];
  const link = paths.find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
  if (link !== undefined)
    throw new StartError(
      `${link} is a symbolic link in the directory of another user, which root does not follow; run as that user, or remove it`,
    );
}

function assertOwn(what: string, stranger: number | undefined): void {
  if (stranger === undefined) return;
  throw new StartError(
    `${what} belongs to another user (uid ${stranger}); run as that user, or choose another directory with --data`,
  );
}

/**
 * The user whom a file belongs to, where that is somebody else. Root is nobody else: it can do anything anyway, and
 * volumes of containers belong to it. To root itself every file is its own; it leaves what it writes to the owner of
 * the directory.
 */
export function strangerOf(path: string): number | undefined {
  const own = process.getuid?.() ?? 0;
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  return own === 0 || owner === own || owner === 0 ? undefined : owner;
}

/** The database with its log and shared memory, which take its mode and owner, and the lock: those that exist. */
export function filesIn(data: string): string[] {
  return databaseFiles(data).filter((file) => existsSync(file));
}

function databaseFiles(data: string): string[] {
  return [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`, LOCK].map((name) => join(data, name));
}

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Makes the files of the database private before they are opened, and says what is odd about who may write there, such
 * as a volume that a container shares with a group.
 */
export function secureFiles(data: string): string[] {
  const directory = isWritableByOthers(data)
    ? [`others may write to the data directory ${data} and replace the database; chmod 700 ${data}`]
    : [];
  return [...directory, ...filesIn(data).flatMap((file) => [...secureMode(file), ...warnOfOwner(file, data)])];
}

function secureMode(file: string): string[] {
  if (!isWritableByOthers(file)) return [];
  try {
    chmodSync(file, 0o600);
    return [`others could write to ${file}; it is private now (mode 600)`];
  } catch {
    return [`others may write to ${file}; chmod 600 ${file}`]; // a file of root, which this user cannot change
  }
}

// Only root comes this far with a file of another user.
function warnOfOwner(file: string, data: string): string[] {
  const { uid } = statSync(file);
  if (process.getuid?.() !== 0 || uid === statSync(data).uid) return [];
  return [`${file} belongs to another user than ${data} (uid ${uid}); chown --reference=${data} ${file}`];
}

export function isWritableByOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & WRITABLE_BY_OTHERS) !== 0;
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
