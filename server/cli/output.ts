// What commands print: JSON for scripts, aligned tables and short lines for people. Text that agents wrote reaches a
// terminal only without the control characters that could steer it.
import { stripVTControlCharacters, styleText } from 'node:util';
import { systemClock } from '../domain/clock.ts';
import { roughDuration } from '../domain/time.ts';
import { clip, padTo, widthOf } from './text-width.ts';

export type Format = 'table' | 'json';
export type OutputOptions = { output: Format };

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Beside the result: what a script that reads standard output should not find there. */
export function note(line: string): void {
  process.stderr.write(`agenthub: ${oneLine(line)}\n`);
}

export function sayJson(value: object): void {
  say(JSON.stringify(value, null, 2));
}

/** The answer as JSON, or what `describe` says of it. */
export function sayAnswer<Answer extends object>({ output }: OutputOptions, answer: Answer, describe: (answer: Answer) => string): void {
  if (output === 'json') sayJson(answer);
  else say(describe(answer));
}

export type Cell = string | number | null | undefined;

/** Columns under their headings; on a terminal the last one is cut to fit. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map((cell) => oneLine(String(cell ?? '-'))));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  return lines.map((line) => aligned(line, widths)).join('\n');
}

function aligned(cells: readonly string[], widths: readonly number[]): string {
  const line = cells.map((cell, column) => (column === cells.length - 1 ? cell : padTo(cell, widths[column] ?? 0))).join('  ');
  return process.stdout.isTTY ? clip(line, process.stdout.columns) : line;
}

/** Names and values below each other; what has no value is left out. */
export function facts(pairs: readonly (readonly [name: string, value: Cell])[]): string {
  const given = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(String(value))}`).join('\n');
}

/** Text of several lines as a terminal may show it. Through a pipe it stays as it is. */
export function shown(text: string): string {
  return process.stdout.isTTY ? text.split(/\r?\n/).map(withoutControls).join('\n') : text;
}

/** Text on one line, without control characters. */
export function oneLine(text: string): string {
  return withoutControls(text.replace(/\s+/g, ' ')).trim();
}

// Escape sequences go as a whole; what is left of C0 and C1, and marks that turn the direction of text, one by one.
function withoutControls(line: string): string {
  return stripVTControlCharacters(line).replace(/[\u202a-\u202e\u2066-\u2069]/g, '').replace(/[^\P{Cc}\t]/gu, '\ufffd');
}

/** How long ago a timestamp of the hub was, as in `12 s`. */
export function age(timestamp: string | null): string | null {
  return timestamp === null ? null : roughDuration(systemClock.now() - Date.parse(`${timestamp.replace(' ', 'T')}Z`));
}

/** `12.3 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

const COLOURS = {
  delivered: 'yellow', running: 'cyan', replied: 'green', failed: 'red', cancelled: 'magenta', expired: 'magenta',
  working: 'cyan', idle: 'green', blocked: 'yellow', error: 'red', waiting_input: 'yellow', offline: 'gray',
} as const;

/** The words for states in their colour, where colours are shown. */
export function coloured(state: keyof typeof COLOURS, text: string = state): string {
  return styleText(COLOURS[state], text, { stream: process.stdout });
}
