// Runs the writes of one group. All share one savepoint; if one fails after a change, all are rolled back and run
// again, each in its own savepoint, so that it fails alone. (Using a savepoint for each from the start took 7% of a
// send.)
import type { Scope } from './database.ts';
import type { Group } from './group.ts';
import { type Gathered, nothing, type Transaction } from './transaction.ts';

export type Job = Scope & {
  queuedAt: number;
  work: (tx: Transaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

/** The effects of a write, and the callbacks that settle it after the commit. */
export type Outcome = Gathered & { settle: (() => void)[] };

/** The outcomes of a group's jobs, and the jobs left for the next group. */
export type Run = { outcomes: Outcome[]; left: readonly Job[] };

/** What a commit takes for each UTF-16 unit of text: 10 ms for ten of the longest completions. */
const COMMIT_MS = 1e-5;

/** Returns undefined if a job failed after a change: then all jobs are rolled back. */
export async function runTogether(group: Group, jobs: readonly Job[]): Promise<Run | undefined> {
  const outcomes: Outcome[] = [];
  await group.savepoint('jobs');
  const start = group.undo.length;
  const slice = group.usage.openSlice(group.maxMs);
  for (const batch of group.isPipelined ? batchesOf(jobs) : jobs.map((job) => [job])) {
    const before = group.written.length;
    const ran = await runAtOnce(group, batch);
    if (ran.some((outcome) => 'failed' in outcome && outcome.hasWritten)) {
      await rollBack(group, 'jobs', start);
      return undefined;
    }
    outcomes.push(...ran);
    if (slice.isOverAfter(batch, (group.written.length - before) * COMMIT_MS)) break;
  }
  await group.release('jobs');
  return { outcomes, left: jobs.slice(outcomes.length) };
}

export async function runApart(group: Group, jobs: readonly Job[]): Promise<Run> {
  const outcomes: Outcome[] = [];
  const slice = group.usage.openSlice(group.maxMs);
  for (const job of jobs) {
    const before = group.written.length;
    await group.savepoint('job');
    const start = group.undo.length;
    const outcome = await run(group, job, true);
    if ('failed' in outcome) await rollBack(group, 'job', start);
    await group.release('job');
    outcomes.push(outcome);
    if (slice.isOverAfter([job], (group.written.length - before) * COMMIT_MS)) break;
  }
  return { outcomes, left: jobs.slice(outcomes.length) };
}

/** Divides the jobs, in order, into those that may run at once. A job that does not say what it concerns runs alone. */
function batchesOf(jobs: readonly Job[]): Job[][] {
  const batches: Job[][] = [];
  for (const job of jobs) {
    const [last] = batches.at(-1) ?? [];
    if (last?.concerns !== undefined && job.concerns !== undefined) batches.at(-1)?.push(job);
    else batches.push([job]);
  }
  return batches;
}

/** Those that concern the same run in turn. */
async function runAtOnce(group: Group, jobs: readonly Job[]): Promise<(Outcome | Failed)[]> {
  const [only, ...others] = jobs;
  if (only !== undefined && others.length === 0) return [await run(group, only, true)];
  const latest = new Map<string, Promise<unknown>>();
  const running = jobs.map((job) => {
    const earlier = job.concerns?.flatMap((each) => latest.get(each) ?? []) ?? [];
    const start = () => run(group, job, false);
    const outcome = earlier.length === 0 ? start() : Promise.all(earlier).then(start);
    for (const each of job.concerns ?? []) latest.set(each, outcome);
    return outcome;
  });
  // None may still run when the transaction is rolled back.
  await Promise.allSettled(running);
  return Promise.all(running);
}

type Failed = Outcome & { failed: true };

async function run(group: Group, job: Job, isAlone: boolean): Promise<Outcome | Failed> {
  const gathered = nothing();
  try {
    const value = await job.work(group.open(gathered, isAlone));
    group.undo.push(...gathered.undo);
    return { ...gathered, settle: [...gathered.effects, () => job.resolve(value)] };
  } catch (error) {
    undoAll(gathered.undo);
    if (group.endsTransaction(error)) throw error;
    return { ...nothing(), hasWritten: gathered.hasWritten, failed: true, settle: [() => job.reject(error)] };
  }
}

/** Undoes what was done since the savepoint, in memory too. */
export async function rollBack(group: Group, name: string, start: number): Promise<void> {
  await group.rollBackTo(name);
  undoAll(group.undo.splice(start));
}

/** Undoes changes in memory, last first. */
export function undoAll(undo: (() => void)[]): void {
  for (const effect of undo.splice(0).reverse()) effect();
}
