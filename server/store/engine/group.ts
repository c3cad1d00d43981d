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
import { endsTransaction, isFull } from './errors.ts';
import { type Job, type Outcome, type Run, rollBack, runApart, runTogether, savepoint } from './jobs.ts';
import { networkSeqsOn } from './network-seqs.ts';
import { type Group, nothing, openPause, type Pause, transactionOn, undoSince } from './transaction.ts';
import type { Usage } from './usage.ts';

type Ends = {
  file: string;
  before?: Before;
  publish: (events: readonly StreamEvent[]) => void;
  meter: Meter;
  accessVersion: () => number;
  usage: Usage;
  onAccessVersion: (version: number) => void;
  onError: (error: unknown) => void;
  lookAtCounters: () => void;
  onFatal: (error: unknown) => void;
};

/**
 * Runs the jobs in one transaction, and settles them and publishes their events only after the commit. Returns the jobs
 * for a later group: those of networks with more overdue changes than one commit should write, and those that exceeded
 * the time limit.
 */
export async function commitGroup(
  connection: Connection,
  jobs: readonly Job[],
  now: () => Millis,
  ends: Ends,
): Promise<readonly Job[]> {
  const group = beginGroup(connection, now(), ends);
  const start = performance.now();
  try {
    const { published, settlements, counts, left } = await runGroup(connection, jobs, group, ends);
    ends.meter.committed(jobs.length - left.length, (performance.now() - start) / SECOND_MS);
    for (const [stage, deliveries] of counts) ends.meter.delivered(stage, deliveries);
    ends.onAccessVersion(group.accessVersion.read());
    await publishInSteps(published, ends, group.pause);
    follow(settlements.flat(), ends.onError);
    ends.lookAtCounters();
    return left;
  } catch (error) {
    undoSince(group);
    const isForSpace = isFull(error, ends.file);
    for (const job of jobs) job.reject(isForSpace ? storageFull() : error);
    if (!isForSpace) ends.onFatal(error);
    return [];
  }
}

function beginGroup({ statements }: Connection, now: Millis, { accessVersion, usage }: Ends): Group {
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
    undo: [],
  };
}

const PUBLISHED_AT_ONCE = 250;

async function publishInSteps(events: readonly StreamEvent[], { publish, onError }: Ends, pause: Pause): Promise<void> {
  if (events.length <= PUBLISHED_AT_ONCE) return follow([() => publish(events)], onError);
  for (let start = 0; start < events.length; start += PUBLISHED_AT_ONCE) {
    follow([() => publish(events.slice(start, start + PUBLISHED_AT_ONCE))], onError);
    await pause();
  }
}

/** The commit has succeeded: a failing hook fails alone and is not a database error. */
function follow(effects: readonly (() => void)[], onError: Ends['onError']): void {
  for (const effect of effects) {
    try {
      effect();
    } catch (error) {
      onError(error);
    }
  }
}

function runGroup(connection: Connection, jobs: readonly Job[], group: Group, ends: Ends) {
  return connection.transaction('IMMEDIATE', async () => {
    const slice = ends.usage.openSlice(Infinity);
    const { behind, ...first } = await runFirst(group, networksOf(jobs), ends);
    const { ready, waiting } = divide(jobs, behind);
    slice.divideAmong(waiting);
    const run = await runJobs(group, ready, ends);
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
function divide(jobs: readonly Job[], behind: ReadonlySet<string>): { ready: readonly Job[]; waiting: readonly Job[] } {
  if (behind.size === 0) return { ready: jobs, waiting: [] };
  const tenants = new Set(
    jobs.filter(({ networks }) => networks.some((network) => behind.has(network))).map(({ tenant }) => tenant),
  );
  return {
    ready: jobs.filter(({ tenant }) => !tenants.has(tenant)),
    waiting: jobs.filter(({ tenant }) => tenants.has(tenant)),
  };
}

async function runJobs(group: Group, jobs: readonly Job[], { meter }: Ends): Promise<Run> {
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
  { before, onError }: Ends,
): Promise<Outcome & { behind: ReadonlySet<string> }> {
  if (before === undefined) return { ...nothing(), settle: [], behind: NONE };
  const gathered = nothing();
  const start = savepoint(group, 'first');
  try {
    const behind = await before(transactionOn(group, gathered), networks);
    group.statements.exec('RELEASE first');
    return { ...gathered, settle: gathered.effects, behind };
  } catch (error) {
    if (endsTransaction(error)) throw error;
    rollBack(group, 'first', start);
    group.statements.exec('RELEASE first');
    onError(error);
    return { ...nothing(), settle: [], behind: NONE };
  }
}

const NONE: ReadonlySet<string> = new Set();
