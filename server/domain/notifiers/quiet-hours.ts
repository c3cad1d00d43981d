// Quiet hours: a daily period in a time zone, such as 22:00 to 07:00, in which a notifier sends nothing.
import type { Millis } from '../time/clock.ts';
import { DAY_MS, MINUTE_MS } from '../time/time.ts';
import type { QuietHours } from './notifier.ts';

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

export function isTimeOfDay(text: string): boolean {
  return TIME_OF_DAY.test(text);
}

/** Whether it is a zone of the IANA database, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * The end of the quiet hours that include `now`; `now` if they do not. If daylight saving time starts or ends in between, the
 * end is an hour off, and is checked again at that time.
 */
export function quietUntil({ quiet_from: from, quiet_until: until, time_zone }: QuietHours, now: Millis): Millis {
  if (from === null || until === null) return now;
  const time = timeOfDay(now, time_zone);
  const length = (minutesOf(until) * MINUTE_MS - minutesOf(from) * MINUTE_MS + DAY_MS) % DAY_MS;
  const passed = (time - minutesOf(from) * MINUTE_MS + DAY_MS) % DAY_MS;
  return passed < length ? now + length - passed : now;
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return 60 * hours + minutes;
}

/** Milliseconds since midnight there. A zone that this version of Node no longer knows counts as UTC. */
function timeOfDay(now: Millis, zone: string): Millis {
  return minutesOf(clockOf(zone).format(now)) * MINUTE_MS + (now % MINUTE_MS);
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  } catch {
    return clockOf('UTC');
  }
}
