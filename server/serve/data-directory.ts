// The data directory: made private, checked for being ours to write, and locked for one hub.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE, LOCK } from '../domain/files/data-files.ts';
import { assertOurs } from '../store/file/identity.ts';
import { assertSound } from '../store/file/integrity.ts';
import { AlreadyRunning, type Lock, takeLock } from '../store/file/lock.ts';
import { giveToOwnerOf } from '../store/file/on-disk.ts';
import { makeDirectory } from './private-directory.ts';

export type DataDirectory = {
  databaseFile: string;
  lock: Lock;
  /** Whether all of the database was found sound; one too large for that is looked at in part. */
  isChecked: boolean;
  /** Whether no database was there; once it is created, it is to belong to the owner of the directory. */
  isNew: boolean;
};

/** The directory under its lock, whatever is in it: for a command that puts another database there. */
export async function claimDataDirectory(path: string): Promise<Pick<DataDirectory, 'databaseFile' | 'lock'>> {
  makeDirectory(path);
  return { databaseFile: join(path, DATABASE), lock: await lockDirectory(path) };
}

/** Files in it are the owner's alone: the process's umask is set before any is made. */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  makeDirectory(path);
  const databaseFile = join(path, DATABASE);
  // Looked at before the lock is taken: a directory that is not ours is left as it was.
  const isThere = existsSync(databaseFile);
  if (isThere) await assertOurs(databaseFile);
  const lock = await lockDirectory(path);
  return { databaseFile, lock, isChecked: !isThere || (await assertSound(databaseFile)), isNew: !isThere };
}

/**
 * Whether a hub runs on it; nothing is changed to find out. Where the lock cannot be looked at, none is taken to run.
 */
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

async function lockDirectory(path: string): Promise<Lock> {
  const file = join(path, LOCK);
  const isNew = !existsSync(file);
  const lock = await takeLock(file);
  if (isNew && existsSync(file)) giveToOwnerOf(path, file);
  return lock;
}
