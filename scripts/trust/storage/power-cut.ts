// Power cuts, simulated from a record of every write and fsync of the hub. At each acknowledgement the disk is rebuilt
// as if the power had failed at that moment, and everything acknowledged by then must be on it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { register, restClient } from '../../../test/support/http/rest-client.ts';
import { textOf } from '../../../test/support/json.ts';
import type { Command } from '../../support/process.ts';
import type { Draws } from '../../support/random.ts';
import { share } from '../lanes.ts';
import { complaint, type Finding, type Row, type Trial } from '../row.ts';
import { copySource } from '../source-copy.ts';
import { type Disk, openDisk } from './disk.ts';
import { wrongCountersIn } from './integrity.ts';
import { type Operation, readTrace, traced } from './trace.ts';

const SENDERS = 3;
const POINTS_PER_SERIES = 500;
const CONTROL_POINTS = 40;
/** The first checkpoint comes after 62 commits, each with one send, or one from each sender. */
const POINTS_TO_A_CHECKPOINT = 200;
/** What a power cut leaves of writes without a later fsync: nothing, or any of them, complete or torn. */
const CUTS = ['none', 'some'] as const;

type Outcome = {
  points: number;
  cuts: number;
  lossyCuts: number;
  lost: Set<string>;
  damaged: string[];
  isComplete: boolean;
  /** How many writes to the database file came after the first acknowledgement: those of checkpoints. */
  moved: number;
};

export const powerCut: Row = {
  name: 'power-cut',
  promise: 'acknowledged writes survive a power cut',
  test: (points) =>
    `the disk rebuilt as of ${points} acknowledgements from the recorded writes and fsyncs, unsynced writes dropped or torn`,
  target: '0 lossy, and with synchronous=NORMAL some',
  amounts: { least: 40, quick: 240, long: 5_000 },
  run: async (trial) => {
    if (spawnSync('strace', ['-V']).status !== 0) return { skipped: 'strace is not installed' };
    const outcome = await inSeries(trial);
    const control =
      trial.size === 'least' ? undefined : await cutPower(trial, withSynchronousNormal(trial), CONTROL_POINTS);
    return findingOf(outcome, control);
  },
};

/** The record of a series takes some 250 MB. */
async function inSeries(trial: Trial): Promise<Outcome> {
  const outcome = newOutcome();
  for (let points = 0; points < trial.amount; points += POINTS_PER_SERIES) {
    const next = await cutPower(trial, trial.command, Math.min(POINTS_PER_SERIES, trial.amount - points));
    outcome.points += next.points;
    outcome.cuts += next.cuts;
    outcome.lossyCuts += next.lossyCuts;
    outcome.lost = outcome.lost.union(next.lost);
    outcome.damaged.push(...next.damaged);
    outcome.isComplete &&= next.isComplete;
    outcome.moved += next.moved;
  }
  return outcome;
}

function newOutcome(): Outcome {
  return { points: 0, cuts: 0, lossyCuts: 0, lost: new Set(), damaged: [], isComplete: true, moved: 0 };
}

function findingOf(
  { points, cuts, lossyCuts, lost, damaged, isComplete, moved }: Outcome,
  control: Outcome | undefined,
): Finding {
  const isVoid = control !== undefined && control.lossyCuts === 0;
  const figure = `lossy ${lossyCuts} of ${cuts} cuts at ${points} points${control === undefined ? '' : `; with NORMAL ${control.lossyCuts} of ${control.cuts}`}`;
  return {
    figure,
    complaints: [
      ...complaint('an acknowledged task is gone', [...lost]),
      ...complaint('the database is damaged', damaged),
      ...(isComplete ? [] : ['the recorded writes do not add up to the files on the disk']),
      ...(points >= POINTS_TO_A_CHECKPOINT && moved === 0 ? ['void: there was no checkpoint'] : []),
      ...(isVoid ? ['void: even with synchronous=NORMAL nothing was lost'] : []),
    ],
  };
}

function withSynchronousNormal(trial: Trial): Command {
  return copySource(join(trial.directory(), 'normal'), [
    { file: 'server/store/engine/libsql/connection.ts', find: 'synchronous: 2', put: 'synchronous: 1' },
  ]);
}

async function cutPower(trial: Trial, command: Command, points: number): Promise<Outcome> {
  const place = trial.directory();
  const [trace, data, image] = [join(place, 'trace'), join(place, 'data'), join(place, 'image')];
  await recordSends(trial, traced(command, trace), data, points);
  const outcome = await replay(trial.draws, trace, data, image);
  if (outcome.points !== points) outcome.damaged.push(`${outcome.points} acknowledgements were recorded of ${points}`);
  rmSync(place, { recursive: true });
  return outcome;
}

async function recordSends(trial: Trial, command: Command, data: string, points: number): Promise<void> {
  const hub = await trial.start({ command, data });
  const { networkToken } = await register(hub.url);
  const rest = restClient(hub.url, networkToken);
  const numbers = Array.from({ length: points }, (_, number) => number);
  await share(numbers, SENDERS, async (number) => {
    const { body } = await rest.post('/api/tasks', {
      alias: 'builder',
      task: `task ${number}`,
      from_session: `boss-${number}`,
    });
    textOf(body, 'task_id');
  });
  await hub.kill('SIGKILL');
}

async function replay(draws: Draws, trace: string, data: string, image: string): Promise<Outcome> {
  const disk = openDisk(data);
  const acknowledged: string[] = [];
  const outcome = newOutcome();
  for await (const operation of readTrace(trace)) {
    if (operation.kind !== 'say') disk.apply(operation);
    if (operation.kind === 'write' && operation.path.endsWith('/agenthub.db') && acknowledged.length > 0)
      outcome.moved += 1;
    for (const id of acknowledgedIn(operation)) {
      acknowledged.push(id);
      outcome.points++;
      for (const cut of CUTS) {
        const directory = join(image, `${outcome.cuts++ % 8}`);
        await examine(outcome, disk, acknowledged, directory, (size) => (cut === 'none' ? 0 : keptOf(size, draws)));
      }
    }
  }
  return { ...outcome, isComplete: disk.isSameAs(data) };
}

function acknowledgedIn(operation: Operation): string[] {
  if (operation.kind !== 'say' || !operation.text.startsWith('HTTP/1.1 200')) return [];
  return [...operation.text.matchAll(/"task_id":"(\w+)"/g)].map(([, id = '']) => id);
}

/** How many bytes of an unsynced write reach the disk. */
function keptOf(size: number, draws: Draws): number {
  const chance = draws.below(1);
  if (chance < 0.45) return 0;
  return chance < 0.9 ? size : Math.floor(draws.below(size / 512)) * 512;
}

async function examine(
  outcome: Outcome,
  disk: Disk,
  acknowledged: readonly string[],
  directory: string,
  keep: (size: number) => number,
): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'agenthub.db');
  for (const name of DATABASE_FILES) writeOrForget(directory, name, disk.imageOf(name, keep));
  try {
    const stored = readDatabase(file);
    outcome.damaged.push(...(await wrongCountersIn(file)));
    const lost = acknowledged.filter((id) => !stored.has(id));
    for (const id of lost) outcome.lost.add(id);
    if (lost.length > 0) outcome.lossyCuts++;
  } catch (error) {
    outcome.damaged.push(error instanceof Error ? error.message : String(error));
  }
}

const DATABASE_FILES = ['agenthub.db', 'agenthub.db-wal', 'agenthub.db-journal', 'agenthub.db-shm'];

function writeOrForget(directory: string, name: string, bytes: Uint8Array | undefined): void {
  const path = join(directory, name);
  if (bytes !== undefined) writeFileSync(path, bytes);
  else if (existsSync(path)) rmSync(path);
}

function readDatabase(file: string): Set<unknown> {
  const database = new DatabaseSync(file);
  try {
    const integrity = database.prepare('PRAGMA integrity_check').get()?.integrity_check;
    if (integrity !== 'ok') throw new Error(`integrity_check: ${String(integrity)}`);
    return new Set(
      database
        .prepare('SELECT task_id FROM tasks')
        .all()
        .map(({ task_id }) => task_id),
    );
  } finally {
    database.close();
  }
}
