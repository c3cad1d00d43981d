// Groups of writes that share a transaction. What they tell, the events of streams and of tasks, is stored in few statements
// before the commit. All share one savepoint; where one fails after it has written, all are taken back and run again, each in
// a savepoint of its own, so that it fails alone. (A savepoint for each from the start took 7 % of a send.)
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Millis } from '../domain/clock.ts';
import { storageFull } from '../domain/errors.ts';
import type { StreamEvent } from '../domain/events.ts';
import { SECOND_MS } from '../domain/time.ts';
import * as access from './access.ts';
import type { Connection } from './connection.ts';
import type { Meter, Transaction } from './database.ts';
import { endsTransaction, isFailedWrite, isFull } from './driver-errors.ts';
import * as events from './events.ts';
import { nothing, takeBack, transactionOn, type Gathered, type Group } from './group-transaction.ts';
import { arrivalsInGroup } from './inboxes.ts';
import { hasNoSpace } from './space.ts';
import * as taskEvents from './task-events.ts';

export type Job = {
  work: (tx: Transaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

type Ends = {
  file: string;
  before?: (tx: Transaction) => Promise<boolean>;
  publish: (events: readonly StreamEvent[]) => void;
  meter: Meter;
  accessVersion: () => number;
  onAccessVersion: (version: number) => void;
  onError: (error: unknown) => void;
  onFatal: (error: unknown) => void;
};

/**
 * Runs all jobs in one transaction; settles each, and publishes its events, only after the commit. Where what comes before them
 * is too much for one commit, it gets as many as it takes, with other work of the process in between.
 */
export async function commitGroup(connection: Connection, jobs: readonly Job[], now: () => Millis, ends: Ends): Promise<void> {
  while (!(await commitOnce(connection, jobs, now(), ends))) await nextTurn();
}

/** False where there was no room for the jobs yet. */
async function commitOnce(connection: Connection, jobs: readonly Job[], now: Millis, ends: Ends): Promise<boolean> {
  const group = beginGroup(connection, now, ends);
  const start = performance.now();
  try {
    const { published, settlements, counts, isDone } = await runGroup(connection, jobs, group, ends.before);
    ends.meter.committed(isDone ? jobs.length : 0, (performance.now() - start) / SECOND_MS);
    for (const [stage, deliveries] of counts) ends.meter.delivered(stage, deliveries);
    ends.onAccessVersion(group.accessVersion.read());
    follow([() => ends.publish(published), ...settlements.flat()], ends.onError);
    return isDone;
  } catch (error) {
    takeBack(group);
    const isForSpace = isFull(error) || (isFailedWrite(error) && hasNoSpace(ends.file));
    for (const job of jobs) job.reject(isForSpace ? storageFull() : error);
    if (!isForSpace) ends.onFatal(error);
    return true;
  }
}

function beginGroup({ statements }: Connection, now: Millis, ends: Ends): Group {
  return { statements, now, accessVersion: access.versionInGroup(statements, ends.accessVersion()), arrivals: arrivalsInGroup(statements), undo: [] };
}

/** The commit stands: what fails among that which follows it fails alone, and is no failure of the database. */
function follow(effects: readonly (() => void)[], onError: Ends['onError']): void {
  for (const effect of effects) {
    try {
      effect();
    } catch (error) {
      onError(error);
    }
  }
}

type Outcome = Gathered & { settle: (() => void)[] };

async function runGroup({ client }: Connection, jobs: readonly Job[], group: Group, before: Ends['before']) {
  const transaction = await client.transaction('write');
  try {
    const first = await runFirst(group, before);
    const outcomes = first.isDone ? [first, ...((await runTogether(group, jobs)) ?? (await runApart(group, jobs)))] : [first];
    const published = await storeEvents(group, outcomes);
    group.arrivals.store();
    group.accessVersion.read();
    await transaction.commit();
    return { published, settlements: outcomes.map((outcome) => outcome.settle), counts: outcomes.flatMap((outcome) => outcome.counts), isDone: first.isDone };
  } finally {
    transaction.close();
  }
}

async function storeEvents(group: Group, outcomes: readonly Outcome[]): Promise<StreamEvent[]> {
  const dropped = new Set(outcomes.flatMap((outcome) => outcome.dropped));
  const isKept = ({ network_id }: { network_id: string }): boolean => !dropped.has(network_id);
  const tx = transactionOn(group, nothing());
  await taskEvents.append(tx, outcomes.flatMap((outcome) => outcome.taskEvents).filter(isKept));
  return events.append(tx, outcomes.flatMap((outcome) => outcome.events).filter(isKept));
}

// What comes before the jobs is in no savepoint: if it fails, so does the group.
async function runFirst(group: Group, before: Ends['before'] = async () => true): Promise<Outcome & { isDone: boolean }> {
  const gathered = nothing();
  const isDone = await before(transactionOn(group, gathered));
  return { ...gathered, settle: gathered.effects, isDone };
}

/** Undefined when a job failed that had written: then nothing of any of them stands. */
async function runTogether(group: Group, jobs: readonly Job[]): Promise<Outcome[] | undefined> {
  const start = group.undo.length;
  const outcomes: Outcome[] = [];
  savepoint(group, 'jobs');
  for (const job of jobs) {
    const outcome = await run(group, job);
    if ('failed' in outcome && outcome.hasWritten) {
      rollBack(group, 'jobs', start);
      return undefined;
    }
    outcomes.push(outcome);
  }
  group.statements.exec('RELEASE jobs');
  return outcomes;
}

async function runApart(group: Group, jobs: readonly Job[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const job of jobs) {
    const start = group.undo.length;
    savepoint(group, 'job');
    const outcome = await run(group, job);
    if ('failed' in outcome) rollBack(group, 'job', start);
    group.statements.exec('RELEASE job');
    outcomes.push(outcome);
  }
  return outcomes;
}

async function run(group: Group, job: Job): Promise<Outcome | (Outcome & { failed: true })> {
  const start = group.undo.length;
  const gathered = nothing();
  try {
    const value = await job.work(transactionOn(group, gathered));
    return { ...gathered, settle: [...gathered.effects, () => job.resolve(value)] };
  } catch (error) {
    if (endsTransaction(error)) throw error;
    takeBack(group, start);
    return { ...nothing(), hasWritten: gathered.hasWritten, failed: true, settle: [() => job.reject(error)] };
  }
}

function savepoint({ statements, arrivals }: Group, name: string): void {
  arrivals.store();
  statements.exec(`SAVEPOINT ${name}`);
}

function rollBack(group: Group, name: string, start: number): void {
  group.statements.exec(`ROLLBACK TO ${name}`);
  group.accessVersion.forget();
  group.arrivals.forget();
  takeBack(group, start);
}
