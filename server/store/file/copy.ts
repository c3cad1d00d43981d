// Copies database files. A copy gets its name only when it is complete and its integrity is checked. The original may
// be in use: a copy is a snapshot of one moment. Copying and checking take seconds of CPU time, so a running hub uses
// another process.
import { accessSync, closeSync, constants, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Client, LibsqlError } from '@libsql/client';
import { StartError } from '../../domain/errors.ts';
import { BACKUPS } from '../../domain/files/data-files.ts';
import { MEBIBYTE } from '../../domain/limits.ts';
import { hasRoomFor } from '../engine/libsql/disk-space.ts';
import { INCREMENTAL } from '../free-space.ts';
import { assertOurs } from './identity.ts';
import { assertIntact, WHOLE } from './integrity.ts';
import { assertRoom, giveToOwnerOf, toDisk } from './on-disk.ts';
import { damaged, onFile } from './open.ts';
import { removeLeftovers, temporaryPathOf } from './temporary-files.ts';
import { areSame, copiesOf, nextCopyOf } from './upgrade-copies.ts';

const BUSY_TIMEOUT_MS = 10_000; // for a hub that is just starting or stopping

/** Throws StartError if the original is damaged or the copy cannot be written; then no copy is left. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  assertNotReadOnly(dirname(from));
  await assertOurs(from);
  const temporary = newTemporary(to);
  try {
    await onFile(from, async (client) => {
      await client.execute(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
      await makeCopiesIncremental(client);
      assertRoom(dirname(to), await bytesIn(client));
      await client.execute({ sql: 'VACUUM INTO ?', args: [temporary] }).catch(failedCopy(from, temporary));
    });
    toDisk(temporary); // VACUUM INTO does not sync the file
    await assertIntact(temporary, WHOLE);
    renameSync(temporary, to);
    toDisk(dirname(to));
  } catch (error) {
    throw renamed(error, temporary, to);
  } finally {
    for (const suffix of ['', '-journal']) rmSync(`${temporary}${suffix}`, { force: true });
  }
}

/** SQLite writes an index of the log before it reads a database. */
function assertNotReadOnly(directory: string): void {
  try {
    accessSync(directory, constants.W_OK);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EROFS')) return;
    throw new StartError(
      `${directory} is on a file system that is mounted read-only; if no hub runs on it, copy agenthub.db and agenthub.db-wal together with cp`,
    );
  }
}

/** The copy can give pages back. For an original that has the mode, the statement would write to it. */
async function makeCopiesIncremental(client: Client): Promise<void> {
  const { rows } = await client.execute('PRAGMA auto_vacuum');
  if (Number(rows[0]?.auto_vacuum) !== INCREMENTAL) await client.execute('PRAGMA auto_vacuum = INCREMENTAL');
}

/** The size of a copy, without free pages. */
async function bytesIn(client: Client): Promise<number> {
  const { rows } = await client.execute(
    'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
  );
  return Number(rows[0]?.bytes);
}

/** SQLite also reports a full disk when a damaged original has wrong page numbers. */
function failedCopy(from: string, to: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof LibsqlError) || error.code !== 'SQLITE_FULL') throw error;
    throw hasRoomFor(MEBIBYTE, to) ? damaged(from, 'it cannot be copied') : new StartError('the disk is full');
  };
}

/** A temporary file that only the owner can read, in the directory of the copy, so that it can be renamed. */
function newTemporary(to: string): string {
  const temporary = temporaryPathOf(to);
  try {
    makeDirectory(dirname(to));
    removeLeftovers(to);
    closeSync(openSync(temporary, 'wx', 0o600));
    return temporary;
  } catch (error) {
    const directory = dirname(to);
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new StartError(`cannot write ${to}, because ${directory} is a file; remove it, or choose another file`);
    throw new StartError(
      `cannot write ${to} (${error instanceof Error && 'code' in error ? String(error.code) : String(error)})`,
    );
  }
}

function makeDirectory(directory: string): void {
  const isNew = mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined;
  if (isNew && basename(directory) === BACKUPS) giveToOwnerOf(dirname(directory), directory);
}

/** Replaces the temporary file by the copy in the message. */
function renamed(error: unknown, temporary: string, to: string): unknown {
  return error instanceof StartError
    ? new StartError(`cannot create ${to}: ${error.message.replaceAll(temporary, 'the copy')}`)
    : error;
}

/**
 * Creates the copy before an upgrade. If the same upgrade is retried, the new copy is the same as the newest one, which
 * is kept instead.
 */
export async function copyBeforeUpgrade(file: string, toVersion: number): Promise<string> {
  const [newest] = copiesOf(file);
  const to = nextCopyOf(file, toVersion);
  await copyDatabase(file, to);
  if (newest !== undefined && areSame(newest, to)) {
    rmSync(to);
    return newest;
  }
  giveToOwnerOf(dirname(file), to);
  return to;
}
