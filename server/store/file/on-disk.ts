// Makes files survive a power cut and belong to the right user, and checks for free space.
import { closeSync, fsyncSync, lchownSync, openSync, statfsSync, statSync } from 'node:fs';
import { StartError } from '../../domain/errors.ts';

/** Syncs a file, or the names in a directory, to disk. */
export function toDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const ROOM_LEFT_BYTES = 16 * 1024 * 1024;

/** Throws StartError unless the bytes fit and some space remains: a running hub keeps writing meanwhile. */
export function assertRoom(directory: string, bytes: number): void {
  const { bavail, bsize, blocks } = statfsSync(directory);
  const free = bavail * bsize;
  if (blocks === 0 || free >= bytes + ROOM_LEFT_BYTES) return; // some file systems do not report it
  throw new StartError(`the disk has ${megabytes(free)} left, and ${megabytes(bytes + ROOM_LEFT_BYTES)} are needed`);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/**
 * Gives files that root created in another user's directory to that user. Does not follow links, since they may lead
 * elsewhere.
 */
export function giveToOwnerOf(directory: string, ...paths: string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  for (const path of paths) lchownSync(path, uid, gid);
}

/** Another file of the same name has another one; undefined without a file. */
export function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
