// A hub whose wall clock a row moves while it runs, like a sleep of the machine or a clock change. Intervals keep their
// length.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aheadAsIn, faketimeLibrary } from '../../faketime.ts';
import type { Command } from '../../support/process.ts';
import type { Trial } from '../row.ts';

export type ShiftedHub = {
  /** The hub under test with the shifted clock. */
  command: Command;
  /** Sets the clock this many seconds ahead of the true time, or behind it. */
  moveTo(seconds: number): void;
};

/** Undefined where libfaketime is not installed. */
export function openShiftedHub(trial: Trial): ShiftedHub | undefined {
  const library = faketimeLibrary();
  if (library === undefined) return undefined;
  const file = join(trial.directory(), 'ahead');
  const moveTo = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  moveTo(0);
  const variables = Object.entries(aheadAsIn(library, file)).map(([name, value]) => `${name}=${value}`);
  const { file: program, args } = trial.command;
  return { command: { file: '/usr/bin/env', args: ['-u', 'FAKETIME', ...variables, program, ...args] }, moveTo };
}

const TICKS_PER_SECOND = 100;

/** CPU seconds so far. Linux only, like the library. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function linesOf(text: string, pattern = /./): number {
  return text.split('\n').filter((line) => pattern.test(line)).length;
}
