// Runs the writes of one group. All share one savepoint; if one fails after a change, all are rolled back and run
// again, each in its own savepoint, so that it fails alone. (Using a savepoint for each from the start took 7% of a
// send.)
import type { Scope } from './database.ts';
import { endsTransaction } from './errors.ts';
import { type Gathered, type Group, nothing, type Transaction, transactionOn, undoSince } from './transaction.ts';

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

/**
 * The event loop is blocked while a group runs. A group that exceeds this time leaves the rest to the next; it runs at
 * least one job.
 */
const MAX_MS = 5;

/** What a commit takes for each UTF-16 unit of text: 10 ms for ten of the longest completions. */
const COMMIT_MS = 1e-5;

/** Returns undefined if a job failed after a change: then all jobs are rolled back. */
export async function runTogether(group: Group, jobs: readonly Job[]): Promise<Run | undefined> {
  const outcomes: Outcome[] = [];
  const start = savepoint(group, 'jobs');
  const slice = group.usage.openSlice(MAX_MS);
  for (const job of jobs) {
    const before = group.written.length;
    const outcome = await run(group, job);
    if ('failed' in outcome && outcome.hasWritten) {
      rollBack(group, 'jobs', start);
      return undefined;
    }
    outcomes.push(outcome);
    if (slice.isOverAfter(job, (group.written.length - before) * COMMIT_MS)) break;
  }
  group.statements.exec('RELEASE jobs');
  return { outcomes, left: jobs.slice(outcomes.length) };
}

export async function runApart(group: Group, jobs: readonly Job[]): Promise<Run> {
  const outcomes: Outcome[] = [];
  const slice = group.usage.openSlice(MAX_MS);
  for (const job of jobs) {
    const before = group.written.length;
    const start = savepoint(group, 'job');
    const outcome = await run(group, job);
    if ('failed' in outcome) rollBack(group, 'job', start);
    group.statements.exec('RELEASE job');
    outcomes.push(outcome);
    if (slice.isOverAfter(job, (group.written.length - before) * COMMIT_MS)) break;
  }
  return { outcomes, left: jobs.slice(outcomes.length) };
}

async function run(group: Group, job: Job): Promise<Outcome | (Outcome & { failed: true })> {
  const start = group.undo.length;
  const gathered = nothing();
  try {
    const value = await job.work(transactionOn(group, gathered));
    return { ...gathered, settle: [...gathered.effects, () => job.resolve(value)] };
  } catch (error) {
    if (endsTransaction(error)) throw error;
    undoSince(group, start);
    return { ...nothing(), hasWritten: gathered.hasWritten, failed: true, settle: [() => job.reject(error)] };
  }
}

/** Returns the argument for `rollBack`. */
export function savepoint({ statements, counts, undo }: Group, name: string): number {
  for (const gathered of Object.values(counts)) gathered.store();
  statements.exec(`SAVEPOINT ${name}`);
  return undo.length;
}

export function rollBack(group: Group, name: string, start: number): void {
  group.statements.exec(`ROLLBACK TO ${name}`);
  group.accessVersion.forget();
  group.networkSeqs.forget();
  for (const gathered of Object.values(group.counts)) gathered.forget();
  undoSince(group, start);
}
