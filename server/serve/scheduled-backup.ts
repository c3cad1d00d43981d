// Scheduled backups of the running hub, created in a separate process, and the removal of the oldest ones.
import { accessSync, constants, existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/keys.ts';
import { BACKUP_RETRY_MS, backupName, lastDue, readSchedule, scheduledMoment } from '../domain/files/backup.ts';
import { BACKUPS, DATABASE } from '../domain/files/data-files.ts';
import { type BackupFault, type BackupFile, isBackupFile } from '../domain/health/machine.ts';
import { TROUBLES } from '../domain/health/troubles.ts';
import { type Millis, systemClock } from '../domain/time/clock.ts';
import { HOUR_MS } from '../domain/time/time.ts';
import type { Hub } from '../hub.ts';
import { COPY_DATABASE, runOwnProcess } from '../native/own-process.ts';
import * as auditLog from '../store/audit-log.ts';
import { isDatabase } from '../store/file/identity.ts';
import { isTemporary, isTemporaryOf } from '../store/file/temporary-files.ts';

type Plan = Pick<Config, 'data' | 'backup_schedule' | 'backup_keep'>;

export type ScheduledBackups = {
  /**
   * Creates a backup if one is due. Rejects on failure; the backup is then retried a little later, and until then this
   * does nothing and resolves to undefined.
   */
  run(hub: Hub): Promise<{ backups: number } | undefined>;
  /** Aborts a running backup. */
  stop(): void;
};

export function scheduleBackups({ data, backup_schedule, backup_keep }: Plan): ScheduledBackups {
  const schedule = readSchedule(backup_schedule) ?? 'off';
  const directory = join(data, BACKUPS);
  const stopping = new AbortController();
  let notBefore: Millis = 0;
  let failedAt: Millis | undefined;
  return {
    stop: () => stopping.abort(),
    run: async (hub) => {
      const now = hub.clock.now();
      if (schedule === 'off') return { backups: 0 };
      if (now < notBefore) {
        if (failedAt !== undefined && isBackedUpSince(data, failedAt)) hub.troubles.report('backup_failed', false);
        return undefined;
      }
      notBefore = now + BACKUP_RETRY_MS; // if this fails
      const backups = await noticed(hub, backUpIfDue(hub, now));
      notBefore = 0;
      return { backups };
    },
  };

  /** A failure lasts until a backup succeeds, also one by hand. */
  async function noticed<Result>(hub: Hub, backup: Promise<Result>): Promise<Result> {
    const hasFailed = await backup.then(
      () => false,
      () => !stopping.signal.aborted,
    );
    failedAt = hasFailed ? systemClock.now() : undefined; // as the times of files
    hub.troubles.report('backup_failed', hasFailed);
    return backup;
  }

  async function backUpIfDue(hub: Hub, now: Millis): Promise<number> {
    if (schedule === 'off' || latestIn(directory, now) >= lastDue(schedule, now)) return 0;
    await backUp(hub, directory, now);
    return 1;
  }

  async function backUp(hub: Hub, directory: string, now: Millis): Promise<void> {
    // The copy would be of another file, and the oldest backup would be deleted for it.
    if (hub.store.isGone()) throw new Error(TROUBLES.database_gone.message);
    // File times use the system clock.
    removeTemporaryFiles(
      directory,
      (name) => isTemporary(name) && statSync(join(directory, name)).mtimeMs < systemClock.now() - HOUR_MS,
    );
    const file = join(directory, backupName(now, { isScheduled: true }));
    try {
      await runOwnProcess([COPY_DATABASE, join(data, DATABASE), file, '--data', data], { signal: stopping.signal });
    } catch (error) {
      removeTemporaryFiles(directory, (name) => isTemporaryOf(file, name)); // an aborted copy leaves some
      throw error;
    }
    await report(hub, file);
    removeOldest(directory, backup_keep);
  }
}

/** Undefined where the file system does not know it. A restored database counts as new. */
export function databaseSince(data: string): Millis | undefined {
  const created = statSync(join(data, DATABASE), { throwIfNoEntry: false })?.birthtimeMs;
  return created === undefined || created <= 0 ? undefined : created;
}

function isBackedUpSince(data: string, moment: Millis): boolean {
  const newest = newestBackup(data);
  return isBackupFile(newest) && newest.at > moment;
}

/** The newest file in `backups/` of this data directory, scheduled or not. */
export function newestBackup(data: string): BackupFile | BackupFault | undefined {
  const directory = join(data, BACKUPS);
  if (!isThere(directory)) return undefined;
  if (!isDirectory(directory)) return 'no directory';
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
  } catch {
    return 'unreadable';
  }
  return backupsIn(data)[0];
}

/** Newest first. */
function backupsIn(data: string): BackupFile[] {
  const directory = join(data, BACKUPS);
  const files = readdirSync(directory)
    .filter((name) => name.endsWith('.db') && !isTemporary(name))
    .map((name) => ({ file: join(directory, name), found: statSync(join(directory, name), { throwIfNoEntry: false }) }))
    .flatMap(({ file, found }) => (found === undefined ? [] : [{ at: found.mtimeMs, bytes: found.size, file }]));
  return files.sort((one, other) => other.at - one.at);
}

/** The path of the newest database in `backups/`, if there is one. */
export function newestBackupFile(data: string): string | undefined {
  return typeof newestBackup(data) === 'object'
    ? backupsIn(data).find(({ file }) => isDatabase(file))?.file
    : undefined;
}

/** Also if it is a link without a target. Not in the place of a data directory that is a file. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // a link without a target, or one to itself
  }
}

/** 0 when there is none. Ignores backups from the future, created before the clock was set back. */
function latestIn(directory: string, now: Millis): Millis {
  return Math.max(
    0,
    ...scheduledIn(directory)
      .map(({ moment }) => moment)
      .filter((moment) => moment <= now),
  );
}

function scheduledIn(directory: string): { name: string; moment: Millis }[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((name) => {
    const moment = scheduledMoment(name);
    return moment === undefined ? [] : [{ name, moment }];
  });
}

async function report(hub: Hub, file: string): Promise<void> {
  const detail = `${file}, ${statSync(file).size} bytes`;
  await hub.store.write((tx) =>
    auditLog.insert(tx, {
      actor: 'backup schedule',
      action: 'hub.backup',
      target_type: 'hub',
      target_id: null,
      detail,
      ip: null,
      network_id: null,
    }),
  );
  hub.log.info({ file }, 'backup created');
}

function removeOldest(directory: string, keep: number): void {
  const newestFirst = scheduledIn(directory).sort((one, other) => other.moment - one.moment);
  for (const { name } of newestFirst.slice(keep)) rmSync(join(directory, name), { force: true });
}

/** Removes temporary files of a copy that was killed or ended by a power loss. */
function removeTemporaryFiles(directory: string, isLeft: (name: string) => boolean): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory).filter(isLeft)) rmSync(join(directory, name), { force: true });
}
