// Creates the data directory and keeps it private. A directory of another user is refused, because that user could read
// and replace its files.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { untrustedLink } from '../config/untrusted-links.ts';
import { StartError } from '../domain/errors.ts';
import { BACKUPS, DATABASE, LOCK, ON_POSTGRES, RESERVE, SOCKET } from '../domain/files/data-files.ts';

/** Also sets the umask, so that every file the process creates from here on is private. */
export function makeDirectory(path: string): void {
  process.umask(0o077);
  if (holdsNoFiles(path))
    throw new StartError(
      `cannot write the data directory ${path}, which cannot hold files; choose another with --data`,
    );
  try {
    makeAll(path);
    if (!statSync(path).isDirectory())
      throw new StartError(`the data directory ${path} is a file; choose another with --data`);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      isReadOnly(path)
        ? readOnly(path)
        : `cannot write the data directory ${path} (${reasonOf(error)}); choose another with --data`,
    );
  }
  assertOwn(`the data directory ${path}`, strangerOf(path));
  for (const file of filesIn(path)) {
    assertOwn(file, strangerOf(file));
    if (!mayUse(file)) throw new StartError(`${unusable(file)}; chmod 600 ${file}, and chown it to that user`);
  }
  assertNoLinks(path);
}

/** Whether it is in /proc or /sys, which only show what the system knows. */
export function holdsNoFiles(path: string): boolean {
  return process.platform === 'linux' && WITHOUT_FILES.includes(statfsSync(nearestExisting(path)).type);
}

/** The numbers of proc and sysfs (man 2 statfs). */
const WITHOUT_FILES: readonly number[] = [0x9f_a0, 0x62_65_65_72];

export function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

/** Node's own way never ends where the system says that the parent does not exist, as in /proc. */
function makeAll(path: string): void {
  if (existsSync(path)) return;
  makeAll(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(path)) throw error; // another process may have been faster
  }
}

/** Without the right to write, SQLite would open a database and fail at the first write. */
export function mayUse(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether its file system is mounted read-only, which not even root can write to. */
export function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
}

export function readOnly(path: string): string {
  return `the file system of ${path} is mounted read-only; mount it read-write, or choose another with --data`;
}

export function unusable(file: string): string {
  return `${file} cannot be read and written by the user that runs this (uid ${process.getuid?.()})`;
}

export function assertNoLinks(data: string): void {
  const problem = untrustedLink(data, [
    ...databaseFiles(data),
    ...[RESERVE, SOCKET, ON_POSTGRES, BACKUPS].map((name) => join(data, name)),
  ]);
  if (problem !== undefined) throw new StartError(problem);
}

function makeTemporary(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'agenthub-'));
  } catch (error) {
    throw new StartError(`cannot create a directory in ${tmpdir()} (${reasonOf(error)}); set TMPDIR to another`);
  }
}

/** Deleted at the exit of this process, however it ends, unless it is killed. */
export function temporaryDataDirectory(): string {
  const directory = makeTemporary(); // its mode is 700
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  // Until the hub handles signals itself, they would end the process without this event.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  return directory;
}

function assertOwn(what: string, stranger: number | undefined): void {
  if (stranger === undefined) return;
  throw new StartError(
    `${what} belongs to another user (uid ${stranger}); run as that user, or choose another directory with --data`,
  );
}

/**
 * The owner of a file if it is another user. Root does not count: it has all permissions anyway, and container volumes
 * belong to it. For root itself, no file is foreign; it gives the files it writes to the owner of the directory.
 */
export function strangerOf(path: string): number | undefined {
  const own = process.getuid?.() ?? 0;
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  return own === 0 || owner === own || owner === 0 ? undefined : owner;
}

/** The existing files among the database, its WAL and shared memory, which inherit its mode and owner, and the lock. */
export function filesIn(data: string): string[] {
  return databaseFiles(data).filter((file) => existsSync(file));
}

function databaseFiles(data: string): string[] {
  return [DATABASE, `${DATABASE}-wal`, `${DATABASE}-shm`, LOCK].map((name) => join(data, name));
}

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Makes the database files private before they are opened. Returns warnings about unusual permissions, such as those of
 * a volume that a container shares with a group.
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

// Only root gets here with a file of another user.
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
