// Runs a row: provides directories, hubs and random draws, and cleans up after it however it ends.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from '../support/process.ts';
import { draws } from '../support/random.ts';
import { startHub } from './hub.ts';
import { complaint, type Finding, type Row, type Size, type Trial } from './row.ts';
import { damageIn, wrongCountersIn } from './storage/integrity.ts';

export type Conditions = { command: Command; size: Size; seed: number };

export type Result = { row: Row; finding: Finding; test: string; tookMs: number };

export async function runRow(row: Row, { command, size, seed }: Conditions): Promise<Result> {
  const cleanups: Cleanups = [];
  running.add(cleanups);
  const started = performance.now();
  const databases = new Set<string>();
  const trial = trialOf(row, { command, size, seed }, cleanups, databases);
  const finding = await row.run(trial).then((found) => withCounters(found, databases), brokenOff);
  await cleanUp(cleanups);
  return { row, finding, test: row.test(trial.amount), tookMs: performance.now() - started };
}

type Cleanups = (() => unknown)[];

const running = new Set<Cleanups>();

/** Cleans up all running trials when the program is interrupted. */
export async function cleanUpAll(): Promise<void> {
  await Promise.all([...running].map(cleanUp));
}

async function cleanUp(cleanups: Cleanups): Promise<void> {
  running.delete(cleanups);
  for (const cleanup of cleanups.reverse()) await cleanup();
}

/** Whatever a row tests, no hub that it started may leave wrong counters behind. */
async function withCounters(finding: Finding, databases: ReadonlySet<string>): Promise<Finding> {
  if ('skipped' in finding) return finding;
  const wrong = await Promise.all(
    [...databases].filter((file) => existsSync(file) && damageIn(file) === undefined).map(wrongCountersIn),
  );
  return { ...finding, complaints: [...finding.complaints, ...complaint('wrong counters', wrong.flat())] };
}

function brokenOff(error: unknown): Finding {
  return {
    figure: 'broke off',
    complaints: [error instanceof Error ? `${error.name}: ${error.message}` : String(error)],
  };
}

export function isPassed({ finding }: Result): boolean | undefined {
  return 'skipped' in finding ? undefined : finding.complaints.length === 0;
}

function trialOf(row: Row, { command, size, seed }: Conditions, cleanups: Cleanups, databases: Set<string>): Trial {
  const atEnd = (cleanup: () => unknown): void => void cleanups.push(cleanup);
  const directory = (): string => {
    const made = scratchDirectory();
    atEnd(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };
  return {
    command,
    size,
    directory,
    atEnd,
    amount: row.amounts[size],
    draws: draws(seed),
    start: async ({ data = join(directory(), 'data'), args = [], command: other = command } = {}) => {
      databases.add(join(data, 'agenthub.db'));
      const hub = await startHub(other, data, args);
      atEnd(() => hub.kill('SIGKILL'));
      return hub;
    },
  };
}

// Trials use memory instead of a disk: the system keeps what a killed process has written, and power cuts are simulated
// from recorded writes. Memory is faster.
const PARENT_DIRECTORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export function scratchDirectory(): string {
  return mkdtempSync(join(PARENT_DIRECTORY, 'agenthub-trust-'));
}
