// What a file needs beside its content: to survive a power cut, and to belong to the right user.
import { chownSync, closeSync, fsyncSync, openSync, statSync } from 'node:fs';

/** Makes a file, or the names in a directory, survive a power cut. */
export function toDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What root makes in the directory of another user is to be that user's. */
export function giveToOwnerOf(directory: string, ...paths: string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  for (const path of paths) chownSync(path, uid, gid);
}
