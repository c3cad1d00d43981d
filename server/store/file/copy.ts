// Copies of a database file, whole and found sound before they get their name. The original may be in use: a copy shows
// one moment of it. Copying and checking are seconds of pure work, so a hub that serves has another process do it.
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Client, LibsqlError } from '@libsql/client';
import { StartError } from '../../domain/errors.ts';
import { BACKUPS } from '../../domain/files/data-files.ts';
import { draftOf, removeLeftDrafts } from './drafts.ts';
import { assertOurs } from './identity.ts';
import { assertSound, WHOLE } from './integrity.ts';
import { assertRoom, giveToOwnerOf, toDisk } from './on-disk.ts';
import { onFile } from './open.ts';

const PATIENCE_MS = 10_000; // for a hub that is just starting or ending

/** Throws a StartError when the original is damaged or the copy cannot be written; then there is no copy. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  await assertOurs(from);
  const draft = newDraft(to);
  try {
    await onFile(from, async (client) => {
      await client.execute(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
      assertRoom(dirname(to), await bytesIn(client));
      await client.execute({ sql: 'VACUUM INTO ?', args: [draft] }).catch(tellOfFullDisk);
    });
    toDisk(draft); // VACUUM INTO leaves that to others
    await assertSound(draft, WHOLE);
    renameSync(draft, to);
    toDisk(dirname(to));
  } catch (error) {
    throw renamed(error, draft, to);
  } finally {
    for (const suffix of ['', '-journal']) rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** What a copy of it takes: free pages are left out. */
async function bytesIn(client: Client): Promise<number> {
  const { rows } = await client.execute(
    'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
  );
  return Number(rows[0]?.bytes);
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
    removeLeftDrafts(to);
    closeSync(openSync(draft, 'wx', 0o600));
    return draft;
  } catch (error) {
    throw new StartError(
      `cannot write ${to} (${error instanceof Error && 'code' in error ? String(error.code) : String(error)})`,
    );
  }
}

function makeDirectory(directory: string): void {
  const isNew = mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined;
  if (isNew && basename(directory) === BACKUPS) giveToOwnerOf(dirname(directory), directory);
}

/** What was said of the draft is meant of the copy. */
function renamed(error: unknown, draft: string, to: string): unknown {
  return error instanceof StartError
    ? new StartError(`cannot make ${to}: ${error.message.replaceAll(draft, 'the copy')}`)
    : error;
}

/** The copy from before an upgrade. Of several tries at the same one, the first and the latest are kept. */
export async function copyBeforeUpgrade(file: string, toVersion: number): Promise<string> {
  const directory = join(dirname(file), BACKUPS);
  const first = join(directory, `agenthub-before-schema-${toVersion}.db`);
  const to = existsSync(first) ? join(directory, `agenthub-before-schema-${toVersion}-again.db`) : first;
  await copyDatabase(file, to);
  giveToOwnerOf(dirname(file), to);
  return to;
}
