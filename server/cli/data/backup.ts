// backup: a copy of the database, whole and checked, while the hub runs or not. This process makes it, as one more
// reader of the file, so the hub does not notice; it is only told, for its audit log.
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { backupName } from '../../domain/files/backup.ts';
import { BACKUPS, DATABASE } from '../../domain/files/data-files.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { giveWay } from '../../native/own-process.ts';
import { recordAct } from '../../operations/operator/record-act.ts';
import { copyDatabase } from '../../store/file/copy.ts';
import { giveToOwnerOf } from '../../store/file/on-disk.ts';
import { CommandError } from '../exit-codes.ts';
import { megabytes, type OutputOptions, sayLine } from '../output.ts';
import { assertHolds, configOf, type DataOptions, recordIfRunning } from './as-operator.ts';

export async function backup(
  given: string | undefined,
  options: DataOptions & OutputOptions & { force?: true },
): Promise<void> {
  process.umask(0o077);
  giveWay(); // to a hub that serves
  const { data } = configOf(options);
  assertHolds(data);
  const file =
    given === undefined
      ? freeName(join(data, BACKUPS, backupName(systemClock.now(), { isScheduled: false })))
      : resolve(given);
  assertFree(file, data, options.force === true);
  await copyDatabase(join(data, DATABASE), file);
  if (given === undefined) giveToOwnerOf(data, file);
  const bytes = statSync(file).size;
  await recordIfRunning(options, recordAct, { action: 'hub.backup', detail: `${file}, ${bytes} bytes` });
  sayLine(options, { ok: true, file, bytes }, () => `backed up to ${file} (${megabytes(bytes)}, checked)`);
}

/** Two may be made within a second. */
function freeName(path: string, number = 1): string {
  const name = number === 1 ? path : path.replace(/\.db$/, `-${number}.db`);
  return existsSync(name) ? freeName(path, number + 1) : name;
}

export function assertFree(file: string, data: string, mayReplace: boolean): void {
  if (!existsSync(file)) return;
  const isPlain = statSync(file).isFile();
  const isLive = isPlain && dirname(realpathSync(file)) === realpathSync(data);
  if (!isPlain) throw new CommandError(`${file} is no file; name a new one`);
  if (isLive || !mayReplace)
    throw new CommandError(`${file} is there already; name a new file${isLive ? '' : ', or replace it with --force'}`);
}
