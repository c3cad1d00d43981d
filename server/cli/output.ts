// What commands print: JSON for scripts, aligned tables and short lines for people. Text of others, arguments included,
// is printed without the characters that could steer a terminal or hide, also into a pipe; JSON and the result of `send
// --wait` stay exact.
import { styleText } from 'node:util';
import { randomWord } from '../domain/ids/ids.ts';
import { escapedJson, oneLine, printable } from '../domain/text/terminal-text.ts';
import { systemClock } from '../domain/time/clock.ts';
import { roughDuration } from '../domain/time/time.ts';
import { clip, padTo, terminalWidth, widthOf } from './text-width.ts';

export type Format = 'table' | 'json';
export type OutputOptions = { output: Format };

/** Lines for people. Only the styles of this program's own get through. */
export function say(text: string): void {
  process.stdout.write(`${withOwnStyles(text)}\n`);
}

/** A text that a script wants as it is: exact through a pipe, printable on a terminal. */
export function sayExact(text: string): void {
  process.stdout.write(`${process.stdout.isTTY ? printable(text) : text}\n`);
}

/** What went wrong, on standard error. */
export function complain(line: string): void {
  process.stderr.write(printable(line));
}

/** Beside the result: what a script that reads standard output should not find there. */
export function note(line: string): void {
  process.stderr.write(`agenthub: ${oneLine(line)}\n`);
}

export function sayJson(value: object): void {
  say(jsonText(value, 2));
}

/** The answer as JSON, or what `describe` says of it. */
export function sayAnswer<Answer extends object>(
  { output }: OutputOptions,
  answer: Answer,
  describe: (answer: Answer) => string,
): void {
  if (output === 'json') sayJson(answer);
  else say(describe(answer));
}

/** The same for what is said in one line, whatever the arguments and names in it are. */
export function sayLine<Answer extends object>(
  options: OutputOptions,
  answer: Answer,
  describe: (answer: Answer) => string,
): void {
  sayAnswer(options, answer, (given) => oneLine(describe(given)));
}

export type Cell = string | number | null | undefined;

/** Columns under their headings; on a terminal the last one is cut to fit. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map((cell) => oneLine(String(cell ?? '-'))));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  return lines.map((line) => aligned(line, widths)).join('\n');
}

function aligned(cells: readonly string[], widths: readonly number[]): string {
  const line = cells
    .map((cell, column) => (column === cells.length - 1 ? cell : padTo(cell, widths[column] ?? 0)))
    .join('  ');
  return process.stdout.isTTY ? clip(line, terminalWidth()) : line;
}

/** Names and values below each other; what has no value is left out. */
export function facts(pairs: readonly (readonly [name: string, value: Cell])[]): string {
  const given = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(String(value))}`).join('\n');
}

/** JSON in which no character can steer a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  return escapedJson(JSON.stringify(value, null, indent));
}

type Style = Parameters<typeof styleText>[0];

// A style stands in the text as a mark that nobody outside this process can write, and becomes an escape sequence when
// it is printed.
const MARK = `\ufdd0${randomWord(16)}:`;
const MARKS = new RegExp(`${MARK}(\\d+)\ufdd1`, 'g');

/** Text in a style, where colours are shown; the one way to give a style to what `say` prints. */
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

/** Printable text in the styles of this program, and in no others. */
export function withOwnStyles(text: string): string {
  return printable(text).replace(MARKS, '\x1b[$1m');
}

/**
 * How long ago a timestamp of the hub was, as in `12 s`; null without one, which hubs of other versions may leave out.
 */
export function age(timestamp: string | null | undefined): string | null {
  return typeof timestamp !== 'string'
    ? null
    : roughDuration(systemClock.now() - Date.parse(`${timestamp.replace(' ', 'T')}Z`));
}

/** `12.3 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

const COLOURS = {
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

/** The words for states in their colour, where colours are shown. */
export function coloured(state: keyof typeof COLOURS, text: string = state): string {
  return styled(COLOURS[state], text);
}
