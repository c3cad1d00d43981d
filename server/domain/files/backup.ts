// The schedule and the file names of backups. A name contains the time and whether the schedule created it: only
// scheduled backups are ever removed.
import type { Millis } from '../time/clock.ts';
import { HOUR_MS, isoTime, MINUTE_MS } from '../time/time.ts';

/** `off`, `hourly`, or a time of day in the local time zone. */
export type BackupSchedule = 'off' | 'hourly' | { hour: number; minute: number };

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Returns undefined if the text is not a schedule. */
export function readSchedule(text: string): BackupSchedule | undefined {
  if (text === 'off' || text === 'hourly') return text;
  const [, hour, minute] = TIME_OF_DAY.exec(text) ?? [];
  return hour === undefined || minute === undefined ? undefined : { hour: Number(hour), minute: Number(minute) };
}

/** The latest moment, up to now, at which a backup was due. */
export function lastDue(schedule: Exclude<BackupSchedule, 'off'>, now: Millis): Millis {
  if (schedule === 'hourly') return now - (now % HOUR_MS);
  // On a day that a time zone has left out, such as 2011-12-30 in Pacific/Apia, the moment is one of the next day.
  for (let days = 0; ; days--) {
    const due = onDay(now, days, schedule);
    if (due <= now) return due;
  }
}

// Uses the calendar, since a day with a clock change has 23 or 25 hours.
function onDay(now: Millis, days: number, { hour, minute }: { hour: number; minute: number }): Millis {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hour, minute).getTime();
}

/** The delay before a failed backup is retried. */
export const BACKUP_RETRY_MS = 10 * MINUTE_MS;

/** `agenthub-20260131-235959Z.db`, in UTC. */
export function backupName(moment: Millis, { isScheduled }: { isScheduled: boolean }): string {
  return `agenthub-${compactTime(moment)}${isScheduled ? '-scheduled' : ''}.db`;
}

/** `20260131-235959Z`. */
export function compactTime(moment: Millis): string {
  return isoTime(moment).replace(/\.\d+/, '').replaceAll(/[-:]/g, '').replace('T', '-');
}

const SCHEDULED = /^agenthub-(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})Z-scheduled\.db$/;

/** When a scheduled backup was made; undefined for any other file name. */
export function scheduledMoment(name: string): Millis | undefined {
  const parts = SCHEDULED.exec(name);
  return parts === null ? undefined : Date.parse(name.replace(SCHEDULED, '$1-$2-$3T$4:$5:$6Z'));
}
