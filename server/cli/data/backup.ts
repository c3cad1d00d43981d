// backup: creates a complete, verified copy of the database, with the hub running or stopped. This process copies the
// file as one more reader, so that the hub keeps serving. The hub only records the backup in its audit log.
import { existsSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { backupName } from '../../domain/files/backup.ts';
import { BACKUPS, DATABASE } from '../../domain/files/data-files.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { lowerPriority } from '../../native/own-process.ts';
import { recordAction } from '../../operations/operator/record-action.ts';
import { assertNoLinks } from '../../serve/private-directory.ts';
import { copyDatabase } from '../../store/file/copy.ts';
import { giveToOwnerOf } from '../../store/file/on-disk.ts';
import { CommandError } from '../exit-codes.ts';
import { megabytes, note, type OutputOptions, sayLine } from '../output.ts';
import { assertHolds, type DataOptions, deletedFile, fileConfigOf, recordIfRunning } from './as-operator.ts';
import { copyDeletedDatabase } from './deleted-database.ts';
import { processWithoutFile } from './running-hub.ts';

export async function backup(
  given: string | undefined,
  options: DataOptions & OutputOptions & { force?: true },
): Promise<void> {
  process.umask(0o077);
  lowerPriority(); // to a running hub
  const { data } = fileConfigOf(options);
  const pidOfDeleted = await processWithoutFile(data);
  if (pidOfDeleted === undefined) await assertHolds(data);
  const file =
    given === undefined
      ? freeName(join(data, BACKUPS, backupName(systemClock.now(), { isScheduled: false })))
      : resolve(given);
  if (given !== undefined) assertUsable(file, data, options.force === true);
  if (pidOfDeleted === undefined) await copyDatabase(join(data, DATABASE), file);
  else await copyDeleted(data, pidOfDeleted, file);
  if (given === undefined) giveToOwnerOf(data, file);
  const bytes = statSync(file).size;
  await recordIfRunning(options, recordAction, { action: 'hub.backup', detail: `${file}, ${bytes} bytes` });
  sayLine(options, { ok: true, file, bytes }, () => `backed up to ${file} (${megabytes(bytes)}, checked)`);
}

/** The database file was deleted or replaced, but the hub still has it open. */
async function copyDeleted(data: string, pid: number, file: string): Promise<void> {
  assertNoLinks(data);
  const directory = mkdtempSync(join(existsSync(dirname(file)) ? dirname(file) : data, '.agenthub-deleted-'));
  try {
    const copy = join(directory, DATABASE);
    if (!copyDeletedDatabase(data, pid, copy)) throw deletedFile(data, `copy the open files of the hub (PID ${pid})`);
    await copyDatabase(copy, file);
    note(
      `the database file of the running hub was deleted or replaced; stop the hub, then run agenthub restore ${file}`,
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Adds a number to the name, because two backups can have the same second. */
function freeName(path: string, number = 1): string {
  const name = number === 1 ? path : path.replace(/\.db$/, `-${number}.db`);
  return existsSync(name) ? freeName(path, number + 1) : name;
}

/** A mistyped or unmounted directory must not become a new one on the wrong disk, so it is not created. */
export function assertUsable(file: string, data: string, mayReplace: boolean): void {
  if (!existsSync(dirname(file)))
    throw new CommandError(`the directory ${dirname(file)} does not exist; create or mount it first`);
  if (!existsSync(file)) return;
  const isPlain = statSync(file).isFile();
  const isLive = isPlain && dirname(realpathSync(file)) === realpathSync(data);
  if (!isPlain) throw new CommandError(`${file} is not a regular file; choose another name`);
  if (isLive || !mayReplace)
    throw new CommandError(
      `${file} already exists; choose another name${isLive ? '' : ', or replace it with --force'}`,
    );
}
