// A row of the scoreboard: one promise, the trial that tries to break it, and its result.

import type { Command } from '../support/process.ts';
import type { Draws } from '../support/random.ts';
import type { Hub } from './hub.ts';

/** `least` must be enough to detect a seeded fault. */
export type Size = 'least' | 'quick' | 'long';

export type Trial = {
  /** The hub under test. */
  command: Command;
  size: Size;
  amount: number;
  draws: Draws;
  /** A new directory, deleted after the trial. */
  directory(): string;
  /** Stopped after the trial, if it still runs. */
  start(options?: { data?: string; args?: readonly string[]; command?: Command }): Promise<Hub>;
  /** Runs after the trial, last one first. */
  atEnd(cleanup: () => unknown): void;
};

/** `complaints` are the broken promises as text. The row passes when there are none. */
export type Finding = { figure: string; complaints: readonly string[] } | { skipped: string };

export type Row = {
  name: string;
  promise: string;
  test(amount: number): string;
  target: string;
  amounts: Readonly<Record<Size, number>>;
  /** Measures time or memory, so nothing can run concurrently. */
  isAlone?: boolean;
  /** Takes longest, so it starts first. */
  isSlow?: boolean;
  /** Mostly waits, so it runs concurrently from the start. */
  isIdle?: boolean;
  run(trial: Trial): Promise<Finding>;
};

/** A complaint with the number of culprits, and the first few of them. */
export function complaint(what: string, culprits: readonly unknown[]): string[] {
  if (culprits.length === 0) return [];
  return [
    `${what}: ${culprits.length} (${culprits.slice(0, 3).map(String).join('; ')}${culprits.length > 3 ? '; …' : ''})`,
  ];
}

/** A complaint unless the two are equal. */
export function expectSame(what: string, found: unknown, wanted: unknown): string[] {
  return Object.is(found, wanted) ? [] : [`${what}: ${String(found)}, not ${String(wanted)}`];
}
