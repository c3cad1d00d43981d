// A row of the scoreboard: one promise, the trial that could break it, and what the trial found.
import type { Draws } from '../seed/draws.ts';
import type { Command, Hub } from './hub.ts';

/** `least` is what a seeded fault must already be caught by. */
export type Size = 'least' | 'quick' | 'long';

export type Trial = {
  /** The hub on trial. */
  command: Command;
  size: Size;
  amount: number;
  draws: Draws;
  /** A fresh directory that goes when the trial is over. */
  directory(): string;
  /** Ended with the trial, if it still runs then. */
  start(options?: { data?: string; args?: readonly string[]; command?: Command }): Promise<Hub>;
  /** Runs when the trial is over, last one first. */
  atEnd(tidy: () => unknown): void;
};

/** `complaints` are the broken promises in words; the row passes when there are none. */
export type Finding = { figure: string; complaints: readonly string[] } | { skipped: string };

export type Row = {
  name: string;
  promise: string;
  test(amount: number): string;
  target: string;
  amounts: Readonly<Record<Size, number>>;
  /** Measures time or memory, so nothing may run beside it. */
  isAlone?: boolean;
  /** Takes longest: begins before the others. */
  isSlow?: boolean;
  /** Does little but wait: runs beside everything from the start. */
  isIdle?: boolean;
  run(trial: Trial): Promise<Finding>;
};

/** A complaint with the culprits counted, the first few named. */
export function complaint(what: string, culprits: readonly unknown[]): string[] {
  if (culprits.length === 0) return [];
  return [
    `${what}: ${culprits.length} (${culprits.slice(0, 3).map(String).join('; ')}${culprits.length > 3 ? '; …' : ''})`,
  ];
}

/** A complaint unless the two are the same. */
export function expectSame(what: string, found: unknown, wanted: unknown): string[] {
  return Object.is(found, wanted) ? [] : [`${what}: ${String(found)}, not ${String(wanted)}`];
}
