// Groups of writes that share a transaction. Stream and task events are stored in few statements before the commit;
// writes resolve, and events are published, after it.
import type { StreamEvent } from '../../domain/events.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import * as events from '../events.ts';
import type { Before, Meter } from './database.ts';
import { type Job, type Outcome, type Run, rollBack, runApart, runTogether, undoAll } from './jobs.ts';
import type { Join } from './queue.ts';
import { type Gathered, nothing, type Pause, type Transaction } from './transaction.ts';
import type { Usage } from './usage.ts';

/** The transaction that the writes of a group share, on either database. */
export type Group = {
  /** The transaction as one of the writes sees it. It is not alone if others run at once. */
  open(gathered: Gathered, isAlone: boolean): Transaction;
  /** The transaction that stores what the writes have emitted, after all of them. */
  openLast(): events.Storing;
  /** Stores what is collected in memory, and begins a part that can be rolled back. */
  savepoint(name: string): Promise<void> | void;
  release(name: string): Promise<void> | void;
  rollBackTo(name: string): Promise<void> | void;
  /** Stores what is still collected in memory. Returns the version of the access rights. */
  finish(): Promise<number>;
  /** Whether nothing can follow this error, not even a rollback to a savepoint. */
  endsTransaction(error: unknown): boolean;
  pause: Pause;
  /** Charged for each write; limits the group. */
  usage: Usage;
  /** Callbacks that undo changes in memory on rollback, in the order of the changes, of the writes that are done. */
  undo: (() => void)[];
  /** Whether statements of several writes can be under way at once. */
  isPipelined: boolean;
  /** For how long it may run before it leaves the remaining writes to the next group. It runs at least one. */
  maxMs: number;
  /** The length of all texts that its statements have written, in UTF-16 units. */
  written: { length: number };
};

/** Why a transaction failed: its writes can run again, or all but the spared ones are rejected with this error. */
export type Failure = 'again' | { error: unknown; spared: readonly Job[] };

export type GroupOptions = {
  before?: Before;
  publish: (events: readonly StreamEvent[]) => void;
  meter: Meter;
  usage: Usage;
  onAccessVersion: (version: number) => void;
  onError: (error: unknown) => void;
  /** Adds writes that have arrived while the transaction waited for its locks. */
  join?: Join<Job>;
  /** Called after each commit. */
  onCommit?: () => void;
  /** Runs `work` in a transaction and commits it. */
  transaction<T>(networks: readonly string[], work: (group: Group) => Promise<T>): Promise<T>;
  /** `hasBegun` is false if not even the transaction could begin. */
  failureOf(error: unknown, hasBegun: boolean, jobs: readonly Job[]): Failure;
};

export type Committed = {
  /** Jobs for a later group. */
  left: readonly Job[];
  /** The length of the texts that it has written. */
  length: number;
  /** Nothing was written, and all jobs are left. */
  mustWait?: true;
};

/**
 * Runs the jobs in one transaction, and settles them and publishes their events only after the commit. The jobs left
 * for a later group are those of networks with more overdue changes than one commit should write, and those that
 * exceeded the time limit.
 */
export async function commitGroup(first: readonly Job[], options: GroupOptions): Promise<Committed> {
  const jobs = [...first];
  const start = performance.now();
  const begun: Group[] = [];
  try {
    const { published, settlements, counts, left, version } = await options.transaction(networksOf(jobs), (group) => {
      begun.push(group);
      return runGroup(jobs, group, options);
    });
    const [group] = begun;
    options.meter.committed(jobs.length - left.length, (performance.now() - start) / SECOND_MS);
    for (const [stage, deliveries] of counts) options.meter.delivered(stage, deliveries);
    options.onAccessVersion(version);
    await publishInSteps(published, options, group?.pause);
    runEffects(settlements.flat(), options.onError);
    options.onCommit?.();
    return { left, length: group?.written.length ?? 0 };
  } catch (error) {
    for (const { undo } of begun) undoAll(undo);
    const failure = options.failureOf(error, begun.length > 0, jobs);
    if (failure === 'again') return { left: jobs, length: 0, mustWait: true };
    for (const job of jobs) if (!failure.spared.includes(job)) job.reject(failure.error);
    return { left: failure.spared, length: 0 };
  }
}

const PUBLISHED_AT_ONCE = 250;

async function publishInSteps(
  events: readonly StreamEvent[],
  { publish, onError }: GroupOptions,
  pause: Pause = async () => {},
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

/** Adds to the jobs those that join them. */
async function runGroup(jobs: Job[], group: Group, options: GroupOptions) {
  const slice = options.usage.openSlice(Infinity);
  const networks = networksOf(jobs);
  const { overdue, ...first } = await runFirst(group, networks, options);
  jobs.push(...(options.join?.((job) => isWithin(job, networks)) ?? []));
  const { ready, waiting } = divide(jobs, overdue);
  slice.divideAmong(waiting);
  const run = await runJobs(group, ready, options);
  const outcomes = [first, ...run.outcomes];
  const published = await events.append(
    group.openLast(),
    outcomes.flatMap((outcome) => outcome.emitted),
  );
  return {
    published,
    settlements: outcomes.map((outcome) => outcome.settle),
    counts: outcomes.flatMap((outcome) => outcome.counts),
    left: [...run.left, ...waiting],
    version: await group.finish(),
  };
}

function networksOf(jobs: readonly Job[]): string[] {
  return [...new Set(jobs.flatMap(({ networks }) => networks))];
}

/** A transaction of no network has the locks of all. */
function isWithin(job: Job, networks: readonly string[]): boolean {
  return networks.length === 0 || (job.networks.length > 0 && job.networks.every((each) => networks.includes(each)));
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

/** An error in this step is reported and rolled back, so that an internal error never blocks writes. */
async function runFirst(
  group: Group,
  networks: readonly string[],
  { before, onError }: GroupOptions,
): Promise<Outcome & { overdue: ReadonlySet<string> }> {
  if (before === undefined) return { ...nothing(), settle: [], overdue: NONE };
  const gathered = nothing();
  await group.savepoint('first');
  const start = group.undo.length;
  try {
    const overdue = await before(group.open(gathered, true), networks);
    await group.release('first');
    group.undo.push(...gathered.undo);
    return { ...gathered, settle: gathered.effects, overdue };
  } catch (error) {
    undoAll(gathered.undo);
    if (group.endsTransaction(error)) throw error;
    await rollBack(group, 'first', start);
    await group.release('first');
    onError(error);
    return { ...nothing(), settle: [], overdue: NONE };
  }
}

const NONE: ReadonlySet<string> = new Set();
