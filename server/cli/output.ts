// Prints the output of commands: JSON for scripts, aligned tables and short lines for people. Removes invisible and
// terminal control characters from all external text, including arguments, even in a pipe. JSON and the result of
// `send --wait` stay exact.
import { styleText } from 'node:util';
import { randomWord } from '../domain/ids/ids.ts';
import { escapedJson, oneLine, printable } from '../domain/text/terminal-text.ts';
import { systemClock } from '../domain/time/clock.ts';
import { roughDuration } from '../domain/time/time.ts';
import { clip, padTo, terminalWidth, widthOf } from './text-width.ts';

export type Format = 'table' | 'json';
export type OutputOptions = { output: Format };

/** Prints lines for people. Escape sequences are removed, except the styles of this program. */
export function say(text: string): void {
  process.stdout.write(`${withOwnStyles(text)}\n`);
}

/** Prints text that scripts read: exact in a pipe, printable on a terminal. */
export function sayExact(text: string): void {
  process.stdout.write(`${process.stdout.isTTY ? printable(text) : text}\n`);
}

let isStderrJson = false;

/** From now on, each note and the error is a JSON object on a line of standard error. */
export function useJsonOnStderr(): void {
  isStderrJson = true;
}

export type Failure = { error: string; message: string; exit_code: number };

/** Prints an error to standard error. */
export function printError(failure: Failure): void {
  const { message } = failure;
  process.stderr.write(isStderrJson ? `${jsonText({ ok: false, ...failure })}\n` : printable(`agenthub: ${message}\n`));
}

/** Prints a note to standard error, so that scripts do not find it in the result on standard output. */
export function note(line: string): void {
  process.stderr.write(isStderrJson ? `${jsonText({ note: line })}\n` : `agenthub: ${oneLine(line)}\n`);
}

/** Every result has `ok`, whether or not the hub sent it, and every time has its zone. */
export function sayJson(value: object): void {
  say(jsonText(zonedMembers({ ok: true, ...value }), 2));
}

/** Prints the answer as JSON, or as the text that `describe` returns. */
export function sayAnswer<Answer extends object>(
  { output }: OutputOptions,
  answer: Answer,
  describe: (answer: Answer) => string,
): void {
  if (output === 'json') sayJson(answer);
  else say(describe(answer));
}

/** Like sayAnswer, but always prints the text as one line, even if names or arguments contain line breaks. */
export function sayLine<Answer extends object>(
  options: OutputOptions,
  answer: Answer,
  describe: (answer: Answer) => string,
): void {
  sayAnswer(options, answer, (given) => oneLine(describe(given)));
}

export type Cell = string | number | null | undefined;

/** Formats aligned columns with headings. On a terminal of known width, lines are cut to fit. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map((cell) => oneLine(String(cell ?? '-'))));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  return lines.map((line) => aligned(line, widths)).join('\n');
}

function aligned(cells: readonly string[], widths: readonly number[]): string {
  const line = cells
    .map((cell, column) => (column === cells.length - 1 ? cell : padTo(cell, widths[column] ?? 0)))
    .join('  ');
  const width = process.stdout.isTTY ? terminalWidth() : undefined;
  return width === undefined ? line : clip(line, width);
}

/** Formats one name and value per line. Omits empty values. */
export function facts(pairs: readonly (readonly [name: string, value: Cell])[]): string {
  const given = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(String(value))}`).join('\n');
}

/** JSON without terminal control characters. */
export function jsonText(value: unknown, indent?: number): string {
  return escapedJson(JSON.stringify(value, null, indent));
}

const TIME_MEMBER = /(^|_)(at|since|until)$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** A hub timestamp with its zone, for people. */
export function zoned(timestamp: string): string;
export function zoned(timestamp: string | null): string | null;
export function zoned(timestamp: string | null): string | null {
  return timestamp === null ? null : `${timestamp} UTC`;
}

/** Writes the hub timestamps of members such as `created_at` as RFC 3339, which programs read without guessing a zone. */
export function zonedMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(zonedMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      TIME_MEMBER.test(name) && typeof member === 'string' && TIMESTAMP.test(member)
        ? `${member.replace(' ', 'T')}Z`
        : zonedMembers(member),
    ]),
  );
}

type Style = Parameters<typeof styleText>[0];

// In text, a style is a random mark that external text cannot forge. Printing converts it to an escape sequence.
const MARK = `\ufdd0${randomWord(16)}:`;
const MARKS = new RegExp(`${MARK}(\\d+)\ufdd1`, 'g');

/** Styles the text if the output shows colors. This is the only way to style text for `say`. */
export function styled(style: Style, text: string, { isShown = showsStyles() } = {}): string {
  if (!isShown) return text;
  return styleText(style, printable(text), { validateStream: false }).replace(
    /\x1b\[(\d+)m/g,
    (_, code: string) => `${MARK}${code}\ufdd1`,
  );
}

function showsStyles(): boolean {
  return styleText('bold', 'x', { stream: process.stdout }) !== 'x';
}

/** Makes the text printable and applies the styles of this program, and no others. */
export function withOwnStyles(text: string): string {
  return printable(text).replace(MARKS, '\x1b[$1m');
}

/** The age of a hub timestamp, such as `12 s`. Null without a timestamp, which hubs of other versions may omit. */
export function age(timestamp: string | null | undefined): string | null {
  return typeof timestamp !== 'string'
    ? null
    : roughDuration(systemClock.now() - Date.parse(`${timestamp.replace(' ', 'T')}Z`));
}

/** `12.3 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

const COLORS = {
  delivered: 'yellow',
  running: 'cyan',
  replied: 'green',
  failed: 'red',
  cancelled: 'magenta',
  expired: 'magenta',
  working: 'cyan',
  idle: 'green',
  blocked: 'yellow',
  error: 'red',
  waiting_input: 'yellow',
  offline: 'gray',
} as const;

/** Colors the name of a state if the output shows colors. */
export function colored(state: keyof typeof COLORS, text: string = state): string {
  return styled(COLORS[state], text);
}
