// Runs a row: gives it directories, hubs and draws of its own, and tidies up after it however it ends.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draws } from '../seed/draws.ts';
import { type Command, startHub } from './hub.ts';
import { complaint, type Finding, type Row, type Size, type Trial } from './row.ts';
import { damageIn, wrongCountersIn } from './storage/integrity.ts';

export type Conditions = { command: Command; size: Size; seed: number };

export type Result = { row: Row; finding: Finding; test: string; tookMs: number };

export async function runRow(row: Row, { command, size, seed }: Conditions): Promise<Result> {
  const tidying: Tidying = [];
  running.add(tidying);
  const started = performance.now();
  const databases = new Set<string>();
  const trial = trialOf(row, { command, size, seed }, tidying, databases);
  const finding = await row.run(trial).then((found) => withCounters(found, databases), brokenOff);
  await tidyUp(tidying);
  return { row, finding, test: row.test(trial.amount), tookMs: performance.now() - started };
}

type Tidying = (() => unknown)[];

const running = new Set<Tidying>();

/** After every trial that still runs: whoever stops the program in the middle leaves nothing behind. */
export async function tidyAll(): Promise<void> {
  await Promise.all([...running].map(tidyUp));
}

async function tidyUp(tidying: Tidying): Promise<void> {
  running.delete(tidying);
  for (const tidy of tidying.reverse()) await tidy();
}

/** Whatever a row was about, no hub that it started may have left a wrong counter behind. */
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

function trialOf(row: Row, { command, size, seed }: Conditions, tidying: Tidying, databases: Set<string>): Trial {
  const atEnd = (tidy: () => unknown): void => void tidying.push(tidy);
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

// No trial depends on the disk: the system keeps what a killed process has written, and the power cut is made from a
// record of the writes. Memory is faster.
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export function scratchDirectory(): string {
  return mkdtempSync(join(PLACE, 'agenthub-trust-'));
}
