// Whether there is a backup in the data directory that is young enough to be of use, and whether the schedule keeps its
// word.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/keys.ts';
import { lastDue, readSchedule } from '../../domain/files/backup.ts';
import { BACKUPS } from '../../domain/files/data-files.ts';
import { type Millis, systemClock } from '../../domain/time/clock.ts';
import { DAY_MS, HOUR_MS, roughDuration } from '../../domain/time/time.ts';
import { isDraft } from '../../store/file/drafts.ts';
import { type Finding, ok, warn } from './finding.ts';

const OLD_MS = 7 * DAY_MS;

export function checkBackups({ data, backup_schedule }: Pick<Config, 'data' | 'backup_schedule'>): Finding {
  const now = systemClock.now();
  const newest = newestIn(join(data, BACKUPS));
  const says = newest === undefined ? 'there is none' : `the newest is ${roughDuration(now - newest)} old`;
  const schedule = readSchedule(backup_schedule) ?? 'off';
  if (schedule === 'off') {
    return now - (newest ?? 0) < OLD_MS
      ? ok('backups', `${says}; none is scheduled`)
      : warn(
          'backups',
          `${says}, and none is scheduled`,
          'set backup_schedule to a time such as 03:30, or run agenthub backup',
        );
  }
  const isLate = now - lastDue(schedule, now) > HOUR_MS && (newest ?? 0) < lastDue(schedule, now);
  return isLate
    ? warn(
        'backups',
        `${says}: the one that was due is missing`,
        'keep the hub running; its log says why a backup failed',
      )
    : ok('backups', `${says}; scheduled (${backup_schedule})`);
}

function newestIn(directory: string): Millis | undefined {
  if (!existsSync(directory)) return undefined;
  const made = readdirSync(directory)
    .filter((name) => name.endsWith('.db') && !isDraft(name))
    .map((name) => statSync(join(directory, name)).mtimeMs);
  return made.length === 0 ? undefined : Math.max(...made);
}
