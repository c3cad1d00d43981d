// Opens the data directory: makes it private, checks that it belongs to agenthub, and locks it for one hub.
import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StartError } from '../domain/errors.ts';
import { DATABASE, LOCK } from '../domain/files/data-files.ts';
import { assertHeader, assertOurs } from '../store/file/identity.ts';
import { assertIntact } from '../store/file/integrity.ts';
import { AlreadyRunning, type Lock, takeLock } from '../store/file/lock.ts';
import { giveToOwnerOf } from '../store/file/on-disk.ts';
import { holderOf, usedBy } from './machine/lock-holder.ts';
import { assertNotOnPostgres } from './on-postgres.ts';
import { makeDirectory } from './private-directory.ts';

export type DataDirectory = {
  databaseFile: string;
  lock: Lock;
  /** Whether the full integrity check ran; a large database is checked only in part. */
  isChecked: boolean;
  /** Whether there was no database; after it is created, it must belong to the owner of the directory. */
  isNew: boolean;
  /** Whether a hub has been started here before. */
  isUsed: boolean;
};

/** Locks the directory regardless of its contents, for a command that replaces the database. */
export async function claimDataDirectory(path: string): Promise<Pick<DataDirectory, 'databaseFile' | 'lock'>> {
  makeDirectory(path);
  return { databaseFile: join(path, DATABASE), lock: await lockDirectory(path) };
}

/** Its files are private to the owner: the umask of the process is set before any file is created. */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  makeDirectory(path);
  assertNotOnPostgres(path);
  const databaseFile = join(path, DATABASE);
  // Checked before locking, so that a directory of another program is left unchanged.
  const isThere = existsSync(databaseFile);
  if (isThere) await assertOurs(databaseFile);
  else await assertNotLost(path);
  if (isThere) assertOneName(databaseFile);
  const isUsed = existsSync(join(path, LOCK));
  const lock = await lockDirectory(path);
  return { databaseFile, lock, isChecked: !isThere || (await assertIntact(databaseFile)), isNew: !isThere, isUsed };
}

/** The directory of a hub whose database is elsewhere. */
export async function openWithoutDatabase(path: string): Promise<DataDirectory> {
  return { ...(await claimDataDirectory(path)), isChecked: true, isNew: false, isUsed: true };
}

/** A hub whose file was deleted while it runs still has all its data: then nothing is lost yet. */
async function assertNotLost(path: string): Promise<void> {
  try {
    assertHeader(join(path, DATABASE));
  } catch (error) {
    throw (await isInUse(path)) ? await inUse(path) : error;
  }
}

/** Whether a hub is running on the directory. Returns false if the lock cannot be checked. Changes nothing. */
export async function isInUse(path: string): Promise<boolean> {
  const file = join(path, LOCK);
  if (!existsSync(file)) return false;
  try {
    (await takeLock(file)).release();
    return false;
  } catch (error) {
    return error instanceof AlreadyRunning;
  }
}

/** Also where the database really is, if it is a link: a second hub could use it there. */
async function lockDirectory(path: string): Promise<Lock> {
  const lock = await lockWith(join(path, LOCK));
  try {
    const linked = lockOfLinked(join(path, DATABASE));
    return linked === undefined ? lock : both(lock, await lockWith(linked));
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Under each of its names, a database has another log. */
function assertOneName(database: string): void {
  const { nlink } = statSync(database);
  if (nlink > 1)
    throw new StartError(
      `${database} has ${nlink} names (hard links); with another one, a hub would damage it; use a copy instead`,
    );
}

function lockOfLinked(database: string): string | undefined {
  if (lstatSync(database, { throwIfNoEntry: false })?.isSymbolicLink() !== true || !existsSync(database))
    return undefined;
  const file = realpathSync(database);
  return basename(file) === DATABASE ? join(dirname(file), LOCK) : `${file}.lock`;
}

function both(one: Lock, other: Lock): Lock {
  return {
    release: () => {
      other.release();
      one.release();
    },
  };
}

async function lockWith(file: string): Promise<Lock> {
  const path = dirname(file);
  const isNew = !existsSync(file);
  const lock = await takeLock(file).catch(async (error: unknown) => {
    throw error instanceof AlreadyRunning ? await inUse(path) : error;
  });
  if (isNew && existsSync(file)) giveToOwnerOf(path, file);
  return lock;
}

async function inUse(path: string): Promise<AlreadyRunning> {
  return new AlreadyRunning(`${usedBy(path, await holderOf(path))}; stop it, or choose another with --data`);
}
