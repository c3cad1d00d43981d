// Formats moments and durations. Inside the hub a moment is milliseconds since the epoch; records show it as
// `YYYY-MM-DD HH:MM:SS` in UTC.
import type { Millis } from './clock.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** `2026-01-31 23:59:59` in UTC, truncated to the second. */
export function timestamp(moment: Millis): string {
  const second = Math.floor(moment / SECOND_MS);
  const place = Math.abs(second % PLACES);
  const known = written[place];
  if (known?.second === second) return known.text;
  const text = new Date(moment).toISOString().slice(0, 19).replace('T', ' ');
  written[place] = { second, text };
  return text;
}

// Thousands of records per second share few distinct seconds, those of their creation and expiry.
const PLACES = 64;
const written: { second: number; text: string }[] = [];

export function timestampOrNull(moment: Millis | null): string | null {
  return moment === null ? null : timestamp(moment);
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/** Parses a timestamp. Returns undefined if it is invalid, such as `2026-02-31 00:00:00`. */
export function momentOf(text: string): Millis | undefined {
  const moment = TIMESTAMP.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : NaN;
  return Number.isNaN(moment) || timestamp(moment) !== text ? undefined : moment;
}

/** The first moment of a day such as `2027-01-31`; undefined if it is not a date. */
export function beginningOf(day: string): Millis | undefined {
  return momentOf(`${day} 00:00:00`);
}

/** The day of a moment in UTC, such as `2027-01-31`. */
export function dayOf(moment: Millis): string {
  return timestamp(moment).slice(0, 10);
}

/** ISO 8601 with milliseconds and `Z`: the form of the heartbeat event. */
export function isoTime(moment: Millis): string {
  return new Date(moment).toISOString();
}

/** `12 s`, `14 min`, `3 h`, `2 d`: the largest unit that is not zero, truncated. */
export function roughDuration(milliseconds: number): string {
  if (milliseconds < MINUTE_MS) return `${Math.max(0, Math.floor(milliseconds / SECOND_MS))} s`;
  if (milliseconds < HOUR_MS) return `${Math.floor(milliseconds / MINUTE_MS)} min`;
  if (milliseconds < DAY_MS) return `${Math.floor(milliseconds / HOUR_MS)} h`;
  return `${Math.floor(milliseconds / DAY_MS)} d`;
}

/** The same for the difference of two clocks. It is measured a moment late, when 3 h have become 2 h 59 min 59 s. */
export function roughDifference(milliseconds: number): string {
  const step = milliseconds < MINUTE_MS ? SECOND_MS : MINUTE_MS;
  return roughDuration(Math.round(milliseconds / step) * step);
}
