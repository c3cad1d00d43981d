// Formats times, ages and texts in the language of the page. Pure functions of their arguments.
import { proseOf, titleOf } from '../../server/domain/text/markup.ts';

const SECOND_MS = 1_000;
const STEPS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;
type Unit = (typeof STEPS)[number]['unit'] | 'millisecond' | 'megabyte' | 'gigabyte';

const SHORT: Intl.DateTimeFormatOptions = {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
};

const PRECISE: Intl.DateTimeFormatOptions = { ...SHORT, year: 'numeric', fractionalSecondDigits: 3 };

const EXCERPT = 240;
const SCANNED = 4 * EXCERPT;
const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)$/;

/** Parses a UTC timestamp `YYYY-MM-DD HH:MM:SS` into milliseconds; NaN when it is invalid. */
export function momentOf(timestamp: string): number {
  const parts = TIMESTAMP.exec(timestamp);
  return parts === null ? Number.NaN : Date.parse(`${parts[1]}T${parts[2]}Z`);
}

/** The timestamp of a moment, as the hub writes it. */
export function stampOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 19).replace('T', ' ');
}

/** `12s`, `4m`, `3h`, `2d`: the largest non-zero unit, rounded down. A future time is `0s`. */
export function age(moment: number, now: number, language: string): string {
  if (Number.isNaN(moment)) return '';
  const seconds = Math.max(0, Math.floor((now - moment) / SECOND_MS));
  const step = STEPS.find((each) => seconds >= each.seconds) ?? STEPS[3];
  return unitFormat(language, step.unit).format(Math.floor(seconds / step.seconds));
}

/** `4s`, `2m 10s`, `1h 5m`: the two largest units. */
export function duration(milliseconds: number, language: string): string {
  const seconds = Math.max(0, Math.round(milliseconds / SECOND_MS));
  const at = STEPS.findIndex((each) => seconds >= each.seconds);
  const [large, small] = [STEPS[at < 0 ? 3 : at] ?? STEPS[3], STEPS[at + 1]];
  const whole = unitFormat(language, large.unit).format(Math.floor(seconds / large.seconds));
  const rest = small === undefined || at < 0 ? 0 : Math.floor((seconds % large.seconds) / small.seconds);
  return small === undefined || rest === 0 ? whole : `${whole} ${unitFormat(language, small.unit).format(rest)}`;
}

/** The full local date and time. */
export function exactTime(moment: number, language: string): string {
  return Number.isNaN(moment)
    ? ''
    : dateFormat(language, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }).format(moment);
}

/** The full local date and time with milliseconds. */
export function preciseTime(moment: number, language: string): string {
  return Number.isNaN(moment) ? '' : dateFormat(language, PRECISE).format(moment);
}

/** Below a second in milliseconds, else in the two largest units. */
export function preciseDuration(milliseconds: number, language: string): string {
  return milliseconds < SECOND_MS
    ? unitFormat(language, 'millisecond').format(Math.max(0, milliseconds))
    : duration(milliseconds, language);
}

/** The local date and time without the year. */
export function shortTime(moment: number, language: string): string {
  return Number.isNaN(moment) ? '' : dateFormat(language, SHORT).format(moment);
}

/** The local time of day. */
export function timeOfDay(moment: number, language: string): string {
  return dateFormat(language, { timeStyle: 'medium', hourCycle: 'h23' }).format(moment);
}

export function wholeNumber(value: number, language: string): string {
  return numberFormat(language).format(value);
}

/** `12.3MB` or `1.2GB`. */
export function byteSize(bytes: number, language: string): string {
  const [unit, size] = Math.abs(bytes) < 1e9 ? (['megabyte', 1e6] as const) : (['gigabyte', 1e9] as const);
  return unitFormat(language, unit).format(Math.round((10 * bytes) / size) / 10);
}

/** The start of a text without its markup. Lists show no more: ten thousand characters per row would be slow. */
export function excerpt(text: string): string {
  const own = withoutQuote(text.trimStart());
  return shortened(proseOf(own.slice(0, SCANNED)), own.length > SCANNED);
}

/** The first line with something to read, used as the title of a task. */
export function headline(text: string): string {
  return shortened(titleOf(withoutQuote(text.trimStart()).slice(0, SCANNED)), false);
}

/** What an answer says, without what it quotes first. */
function withoutQuote(text: string): string {
  return text.replace(/^(?:>[^\n]*\n)+\s*(?=\S)/, '');
}

/** A result without headings before its text, such as "Summary", which say nothing. */
export function withoutHeadings(result: string): string {
  return result.trimStart().replace(/^(?:#{1,6} [^\n]*\n\s*(?=\S))+/, '');
}

function shortened(text: string, isCut: boolean): string {
  const characters = Array.from(text.replace(/\s+/g, ' ').trim());
  const isWhole = characters.length <= EXCERPT && !isCut;
  return isWhole ? characters.join('') : `${characters.slice(0, EXCERPT).join('')}…`;
}

const unitFormat = remembered(
  (language: string, unit: Unit) => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'narrow' }),
);
const dateFormat = remembered(
  (language: string, style: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, style),
);
const numberFormat = remembered((language: string) => new Intl.NumberFormat(language));

/** Intl formats are expensive to create and used by every row every second, so they are cached. */
function remembered<Arguments extends unknown[], Format>(
  make: (...wanted: Arguments) => Format,
): (...wanted: Arguments) => Format {
  const made = new Map<string, Format>();
  return (...wanted) => {
    const key = JSON.stringify(wanted);
    const known = made.get(key);
    if (known !== undefined) return known;
    const format = make(...wanted);
    made.set(key, format);
    return format;
  };
}
