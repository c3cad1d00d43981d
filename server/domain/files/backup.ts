// When backups are due and what they are called. A name tells its moment and whether the schedule made it: only those
// are ever removed.
import type { Millis } from '../time/clock.ts';
import { HOUR_MS, isoTime, MINUTE_MS } from '../time/time.ts';

/** `off`, `hourly`, or a time of day in the zone of the machine. */
export type BackupSchedule = 'off' | 'hourly' | { hour: number; minute: number };

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Undefined for text that is no schedule. */
export function readSchedule(text: string): BackupSchedule | undefined {
  if (text === 'off' || text === 'hourly') return text;
  const [, hour, minute] = TIME_OF_DAY.exec(text) ?? [];
  return hour === undefined || minute === undefined ? undefined : { hour: Number(hour), minute: Number(minute) };
}

/** The latest moment, up to now, at which a backup was to be made. */
export function lastDue(schedule: Exclude<BackupSchedule, 'off'>, now: Millis): Millis {
  if (schedule === 'hourly') return now - (now % HOUR_MS);
  const today = onDay(now, 0, schedule);
  return today <= now ? today : onDay(now, -1, schedule);
}

// By the calendar: a day on which the clocks change has 23 or 25 hours.
function onDay(now: Millis, days: number, { hour, minute }: { hour: number; minute: number }): Millis {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hour, minute).getTime();
}

/** A failed one is tried again after this long. */
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

/** When the schedule made the backup of this name; undefined for every other name. */
export function scheduledMoment(name: string): Millis | undefined {
  const parts = SCHEDULED.exec(name);
  return parts === null ? undefined : Date.parse(name.replace(SCHEDULED, '$1-$2-$3T$4:$5:$6Z'));
}
