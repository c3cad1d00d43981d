// Puts one database file in the place of another.
import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { toDisk } from './on-disk.ts';
import { onFile } from './open.ts';

/** Moves the log of a database that nobody uses into it. */
export async function emptyLog(file: string): Promise<void> {
  await onFile(file, (client) => client.execute('PRAGMA wal_checkpoint(TRUNCATE)'));
}

/**
 * Puts a finished database in the place of another, which stays beside under the name that is answered: the wanted one,
 * or with a number where that is taken. At every moment there is one or the other, never none and never one with the
 * log of the other.
 */
export function replaceDatabase(file: string, by: string, wanted: string): string | undefined {
  if (existsSync(`${by}-wal`) && statSync(`${by}-wal`).size > 0)
    throw new Error(`${by} still has something in its log`);
  const isThere = existsSync(file);
  const keptAs = freeName(wanted);
  if (isThere) {
    giveName(file, keptAs);
    if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) giveName(`${file}-wal`, `${keptAs}-wal`);
  }
  for (const suffix of ['-wal', '-shm']) {
    rmSync(`${file}${suffix}`, { force: true });
    rmSync(`${by}${suffix}`, { force: true });
  }
  toDisk(by);
  renameSync(by, file);
  toDisk(dirname(file));
  return isThere ? keptAs : undefined;
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let number = 2; existsSync(name) || existsSync(`${name}-wal`); number++) name = `${wanted}-${number}`;
  return name;
}

/** A second name for the same file, or where the file system has no such thing, a copy. */
function giveName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw error;
    copyFileSync(file, name, constants.COPYFILE_EXCL);
  }
}
