// Groups of writes that share a transaction. What they tell, the events of streams and of tasks, is stored in few statements
// before the commit; each is answered, and its events are published, after it.
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
import { rollBack, runApart, runTogether, savepoint, type Job, type Outcome } from './group-jobs.ts';
import { nothing, takeBack, transactionOn, type Group } from './group-transaction.ts';
import { arrivalsInGroup } from './inboxes.ts';
import { hasNoSpace } from './space.ts';
import * as taskEvents from './task-events.ts';

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
    const { published, settlements, counts, isDone } = await runGroup(connection, jobs, group, ends);
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

async function runGroup({ client }: Connection, jobs: readonly Job[], group: Group, ends: Ends) {
  const transaction = await client.transaction('write');
  try {
    const first = await runFirst(group, ends);
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

/** What fails of what comes before the jobs is told and taken back: nobody's write shall wait for the end of an error of ours. */
async function runFirst(group: Group, { before = async () => true, onError }: Ends): Promise<Outcome & { isDone: boolean }> {
  const gathered = nothing();
  const start = savepoint(group, 'first');
  try {
    const isDone = await before(transactionOn(group, gathered));
    group.statements.exec('RELEASE first');
    return { ...gathered, settle: gathered.effects, isDone };
  } catch (error) {
    if (endsTransaction(error)) throw error;
    rollBack(group, 'first', start);
    group.statements.exec('RELEASE first');
    onError(error);
    return { ...nothing(), settle: [], isDone: true };
  }
}
