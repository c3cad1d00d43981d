// Copies of a database file, whole and found sound before they get their name. The original may be in use: a copy shows one
// moment of it. Copying and checking are seconds of pure work, so a hub that serves has another process do it.
import { chownSync, closeSync, constants, copyFileSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LibsqlError } from '@libsql/client';
import { BACKUPS } from '../domain/data-files.ts';
import { StartError } from '../domain/errors.ts';
import { assertOurs } from './ours.ts';
import { onFile } from './opening.ts';
import { assertSound } from './soundness.ts';

const PATIENCE_MS = 10_000; // for a hub that is just starting or ending

/** Throws a StartError when the original is damaged or the copy cannot be written; then there is no copy. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  await assertOurs(from);
  const draft = newDraft(to);
  try {
    await onFile(from, async (client) => {
      await client.execute(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
      await client.execute({ sql: 'VACUUM INTO ?', args: [draft] }).catch(tellOfFullDisk);
    });
    toDisk(draft); // VACUUM INTO leaves that to others
    await assertSound(draft, Infinity);
    renameSync(draft, to);
    toDisk(dirname(to));
  } catch (error) {
    throw renamed(error, draft, to);
  } finally {
    for (const suffix of ['', '-journal']) rmSync(`${draft}${suffix}`, { force: true });
  }
}

// The disk of the copy, which need not be that of the original.
function tellOfFullDisk(error: unknown): never {
  throw error instanceof LibsqlError && error.code === 'SQLITE_FULL' ? new StartError('the disk is full') : error;
}

/** The owner's alone, and in the directory of the copy, so that it can be renamed into place. */
function newDraft(to: string): string {
  const draft = draftOf(to);
  try {
    makeDirectory(dirname(to));
    rmSync(draft, { force: true });
    closeSync(openSync(draft, 'wx', 0o600));
    return draft;
  } catch (error) {
    throw new StartError(`cannot write ${to} (${error instanceof Error && 'code' in error ? String(error.code) : String(error)})`);
  }
}

function makeDirectory(directory: string): void {
  const isNew = mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined;
  if (isNew && basename(directory) === BACKUPS) giveToOwnerOf(dirname(directory), directory);
}

/** What root makes in the directory of another user is to be that user's. */
export function giveToOwnerOf(directory: string, ...paths: string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(directory);
  for (const path of paths) chownSync(path, uid, gid);
}

const DRAFT = /^\..+\.part-\d+(-journal)?$/;

function draftOf(to: string): string {
  return join(dirname(to), `.${basename(to)}.part-${process.pid}`);
}

/** Whether a file of this name is a copy that was never finished, or one still in the making. */
export function isDraft(name: string): boolean {
  return DRAFT.test(name);
}

/** Whether it is one of this copy. */
export function isDraftOf(to: string, name: string): boolean {
  return isDraft(name) && name.startsWith(`.${basename(to)}.part-`);
}

/** What was said of the draft is meant of the copy. */
function renamed(error: unknown, draft: string, to: string): unknown {
  return error instanceof StartError ? new StartError(`cannot make ${to}: ${error.message.replaceAll(draft, 'the copy')}`) : error;
}

/** Makes a file, or the names in a directory, survive a power cut. */
export function toDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The copy from before an upgrade. Of several tries at the same one, the first and the latest are kept. */
export async function copyBeforeUpgrade(file: string, toVersion: number): Promise<string> {
  const directory = join(dirname(file), BACKUPS);
  const first = join(directory, `agenthub-before-schema-${toVersion}.db`);
  const to = existsSync(first) ? join(directory, `agenthub-before-schema-${toVersion}-again.db`) : first;
  await copyDatabase(file, to);
  return to;
}

/** Moves the log of a database that nobody uses into it. */
export async function emptyLog(file: string): Promise<void> {
  await onFile(file, (client) => client.execute('PRAGMA wal_checkpoint(TRUNCATE)'));
}

/**
 * Puts a finished database in the place of another, which stays beside under the name that is answered. At every moment there
 * is one or the other, never none and never one with the log of the other.
 */
export function replaceDatabase(file: string, by: string, keptAs: string): string | undefined {
  if (existsSync(`${by}-wal`) && statSync(`${by}-wal`).size > 0) throw new Error(`${by} still has something in its log`);
  const isThere = existsSync(file);
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

/** A second name for the same file, or where the file system has no such thing, a copy. */
function giveName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw error;
    copyFileSync(file, name, constants.COPYFILE_EXCL);
  }
}
