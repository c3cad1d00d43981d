// Groups of writes that share a transaction. Stream and task events are stored in few statements before the commit;
// writes resolve, and events are published, after it.
import { storageFull } from '../../domain/errors.ts';
import type { StreamEvent } from '../../domain/events.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { sentInGroup } from '../counts/task-counts.ts';
import * as events from '../events.ts';
import { arrivalsInGroup } from '../inboxes.ts';
import { versionInGroup } from '../whole-hub.ts';
import type { Connection } from './connection.ts';
import type { Before, Meter } from './database.ts';
import { endsTransaction, isBusy, isFull } from './errors.ts';
import { type Job, type Outcome, type Run, rollBack, runApart, runTogether, savepoint } from './jobs.ts';
import { networkSeqsOn } from './network-seqs.ts';
import { type Group, nothing, openPause, type Pause, transactionOn, undoSince } from './transaction.ts';
import type { Usage } from './usage.ts';

type GroupOptions = {
  file: string;
  before?: Before;
  publish: (events: readonly StreamEvent[]) => void;
  meter: Meter;
  accessVersion: () => number;
  usage: Usage;
  onAccessVersion: (version: number) => void;
  onError: (error: unknown) => void;
  /** Called when the writes failed because the disk is full. */
  onFull: () => void;
  reportLowCounters: () => void;
  onFatal: (error: unknown) => void;
};

/**
 * Runs the jobs in one transaction, and settles them and publishes their events only after the commit. Returns the jobs
 * for a later group: those of networks with more overdue changes than one commit should write, and those that exceeded
 * the time limit. Returns also the length of the texts that it has written, or that another program has locked the
 * database, so that nothing has begun.
 */
export async function commitGroup(
  connection: Connection,
  jobs: readonly Job[],
  now: () => Millis,
  options: GroupOptions,
): Promise<{ left: readonly Job[]; length: number; isLocked?: true }> {
  const group = beginGroup(connection, now(), options);
  const start = performance.now();
  try {
    const { published, settlements, counts, left } = await runGroup(connection, jobs, group, options);
    options.meter.committed(jobs.length - left.length, (performance.now() - start) / SECOND_MS);
    for (const [stage, deliveries] of counts) options.meter.delivered(stage, deliveries);
    options.onAccessVersion(group.accessVersion.read());
    await publishInSteps(published, options, group.pause);
    runEffects(settlements.flat(), options.onError);
    options.reportLowCounters();
    return { left, length: group.written.length };
  } catch (error) {
    if (!group.hasBegun && isBusy(error)) return { left: jobs, length: 0, isLocked: true };
    undoSince(group);
    const isForSpace = isFull(error, options.file);
    for (const job of jobs) job.reject(isForSpace ? storageFull() : error);
    if (isForSpace) options.onFull();
    else options.onFatal(error);
    return { left: [], length: 0 };
  }
}

function beginGroup({ statements }: Connection, now: Millis, { accessVersion, usage }: GroupOptions): Group {
  const rights = versionInGroup(statements, accessVersion());
  const networkSeqs = networkSeqsOn(statements);
  const [arrivals, sent] = [arrivalsInGroup(statements, networkSeqs), sentInGroup(statements, networkSeqs)];
  const counts = { inboxes: arrivals.counts, task_counts: sent.counts };
  return {
    statements,
    now,
    accessVersion: rights,
    networkSeqs,
    arrivals,
    sent,
    counts,
    pause: openPause(),
    usage,
    hasBegun: false,
    undo: [],
    written: { length: 0 },
  };
}

const PUBLISHED_AT_ONCE = 250;

async function publishInSteps(
  events: readonly StreamEvent[],
  { publish, onError }: GroupOptions,
  pause: Pause,
): Promise<void> {
  if (events.length <= PUBLISHED_AT_ONCE) return runEffects([() => publish(events)], onError);
  for (let start = 0; start < events.length; start += PUBLISHED_AT_ONCE) {
    runEffects([() => publish(events.slice(start, start + PUBLISHED_AT_ONCE))], onError);
    await pause();
  }
}

/** The commit has succeeded: a failing hook fails alone and is not a database error. */
function runEffects(effects: readonly (() => void)[], onError: GroupOptions['onError']): void {
  for (const effect of effects) {
    try {
      effect();
    } catch (error) {
      onError(error);
    }
  }
}

function runGroup(connection: Connection, jobs: readonly Job[], group: Group, options: GroupOptions) {
  return connection.transaction('IMMEDIATE', async () => {
    group.hasBegun = true;
    const slice = options.usage.openSlice(Infinity);
    const { overdue, ...first } = await runFirst(group, networksOf(jobs), options);
    const { ready, waiting } = divide(jobs, overdue);
    slice.divideAmong(waiting);
    const run = await runJobs(group, ready, options);
    const outcomes = [first, ...run.outcomes];
    const left = [...run.left, ...waiting];
    const published = await storeEvents(group, outcomes);
    for (const counts of Object.values(group.counts)) await counts.storeInSteps(group.pause);
    group.accessVersion.read();
    return {
      published,
      settlements: outcomes.map((outcome) => outcome.settle),
      counts: outcomes.flatMap((outcome) => outcome.counts),
      left,
    };
  });
}

function networksOf(jobs: readonly Job[]): string[] {
  return [...new Set(jobs.flatMap(({ networks }) => networks))];
}

/** A tenant that waits for a network waits with all its jobs, to keep their order. */
function divide(
  jobs: readonly Job[],
  overdue: ReadonlySet<string>,
): { ready: readonly Job[]; waiting: readonly Job[] } {
  if (overdue.size === 0) return { ready: jobs, waiting: [] };
  const tenants = new Set(
    jobs.filter(({ networks }) => networks.some((network) => overdue.has(network))).map(({ tenant }) => tenant),
  );
  return {
    ready: jobs.filter(({ tenant }) => !tenants.has(tenant)),
    waiting: jobs.filter(({ tenant }) => tenants.has(tenant)),
  };
}

async function runJobs(group: Group, jobs: readonly Job[], { meter }: GroupOptions): Promise<Run> {
  const run = await runTogether(group, jobs);
  if (run !== undefined) return run;
  meter.repeated();
  return runApart(group, jobs);
}

async function storeEvents(group: Group, outcomes: readonly Outcome[]): Promise<StreamEvent[]> {
  group.networkSeqs.forget(); // a later write of the group may have removed a network
  return events.append(
    transactionOn(group, nothing()),
    outcomes.flatMap((outcome) => outcome.emitted),
  );
}

/** An error in this step is reported and rolled back, so that an internal error never blocks writes. */
async function runFirst(
  group: Group,
  networks: readonly string[],
  { before, onError }: GroupOptions,
): Promise<Outcome & { overdue: ReadonlySet<string> }> {
  if (before === undefined) return { ...nothing(), settle: [], overdue: NONE };
  const gathered = nothing();
  const start = savepoint(group, 'first');
  try {
    const overdue = await before(transactionOn(group, gathered), networks);
    group.statements.exec('RELEASE first');
    return { ...gathered, settle: gathered.effects, overdue };
  } catch (error) {
    if (endsTransaction(error)) throw error;
    rollBack(group, 'first', start);
    group.statements.exec('RELEASE first');
    onError(error);
    return { ...nothing(), settle: [], overdue: NONE };
  }
}

const NONE: ReadonlySet<string> = new Set();
