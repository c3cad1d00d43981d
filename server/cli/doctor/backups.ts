// Checks that the data directory has a recent backup and that scheduled backups are not overdue.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/keys.ts';
import { lastDue, readSchedule } from '../../domain/files/backup.ts';
import { BACKUPS } from '../../domain/files/data-files.ts';
import { type Millis, systemClock } from '../../domain/time/clock.ts';
import { DAY_MS, HOUR_MS, roughDuration } from '../../domain/time/time.ts';
import { isTemporary } from '../../store/file/temporary-files.ts';
import { type Finding, ok, warn } from './finding.ts';

const OLD_MS = 7 * DAY_MS;

export function checkBackups({ data, backup_schedule }: Pick<Config, 'data' | 'backup_schedule'>): Finding {
  const now = systemClock.now();
  const newest = newestIn(join(data, BACKUPS));
  const says = newest === undefined ? 'there is no backup' : `the newest backup is ${roughDuration(now - newest)} old`;
  const schedule = readSchedule(backup_schedule) ?? 'off';
  if (schedule === 'off') {
    return now - (newest ?? 0) < OLD_MS
      ? ok('backups', `${says}; backups are not scheduled`)
      : warn(
          'backups',
          `${says}, and backups are not scheduled`,
          'set backup_schedule to a time such as 03:30, or run agenthub backup',
        );
  }
  const isLate = now - lastDue(schedule, now) > HOUR_MS && (newest ?? 0) < lastDue(schedule, now);
  return isLate
    ? warn(
        'backups',
        `${says}; a scheduled backup is overdue`,
        'keep the hub running, and check its log for failed backups',
      )
    : ok('backups', `${says}; scheduled (${backup_schedule})`);
}

function newestIn(directory: string): Millis | undefined {
  if (!existsSync(directory)) return undefined;
  const times = readdirSync(directory)
    .filter((name) => name.endsWith('.db') && !isTemporary(name))
    .map((name) => statSync(join(directory, name)).mtimeMs);
  return times.length === 0 ? undefined : Math.max(...times);
}
