// Replaces one database file with another.
import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { toDisk } from './on-disk.ts';
import { onFile } from './open.ts';

/** Moves the log of an unused database into its file. */
export async function emptyLog(file: string): Promise<void> {
  await onFile(file, (client) => client.execute('PRAGMA wal_checkpoint(TRUNCATE)'));
}

/**
 * Replaces a database with a finished one. The old one is kept under the returned name: the wanted one, numbered if it
 * is taken. If only its log is left, that is kept. At every moment one of the two is in place, never with the log of
 * the other.
 */
export function replaceDatabase(file: string, by: string, wanted: string): string | undefined {
  if (existsSync(`${by}-wal`) && statSync(`${by}-wal`).size > 0) throw new Error(`${by} still has a non-empty log`);
  const [isThere, hasLog] = [existsSync(file), (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0];
  const keptAs = freeName(wanted);
  if (isThere) giveName(file, keptAs);
  if (hasLog) giveName(`${file}-wal`, `${keptAs}-wal`);
  for (const suffix of ['-wal', '-shm']) {
    rmSync(`${file}${suffix}`, { force: true });
    rmSync(`${by}${suffix}`, { force: true });
  }
  toDisk(by);
  renameSync(by, file);
  toDisk(dirname(file));
  return isThere ? keptAs : hasLog ? `${keptAs}-wal` : undefined;
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let number = 2; existsSync(name) || existsSync(`${name}-wal`); number++) name = `${wanted}-${number}`;
  return name;
}

/** Adds a second name for the file, or copies it if the file system has no hard links. */
function giveName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw error;
    copyFileSync(file, name, constants.COPYFILE_EXCL);
  }
}
