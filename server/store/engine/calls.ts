// The queues of the reads and writes that wait for the database, and the groups in which they run.
import { clientLeft } from '../../domain/errors.ts';
import type { Database, Meter, QueueState, Scope } from './database.ts';
import { NO_TENANT } from './database.ts';
import type { Job } from './jobs.ts';
import { type Join, openQueue, type Waiting } from './queue.ts';
import { type ReadJob, type ReadOptions, readGroup } from './reads.ts';
import { openUsage, type Usage } from './usage.ts';

export const UNMETERED: Meter = { committed: () => {}, repeated: () => {}, delivered: () => {} };

const MAX_GROUP = 256;
/** A commit costs as much for one write as for many; a group of reads costs nothing. */
const WRITES_WAIT_MS = 5;
const READS_WAIT_MS = 1;

type CallsOptions = {
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  /** Commits a group of writes, and returns those left for a later one. */
  commit(jobs: readonly Job[], usage: Usage, join: Join<Job>): Promise<readonly Job[]>;
  reads: Omit<ReadOptions, 'usage' | 'again'>;
  onFatal: (error: unknown) => void;
};

export type Calls = Pick<Database, 'read' | 'write' | 'queues'> & {
  /** Keeps only these of the writes that have not begun. */
  siftWrites(keep: (jobs: readonly Job[]) => readonly Job[]): void;
  /** Waits for the calls that were made; later ones fail. */
  close(): Promise<void>;
};

export function openCalls({ elapsed, commit, reads: readOptions, onFatal }: CallsOptions): Calls {
  const [usageOfReads, usageOfWrites] = [openUsage(elapsed), openUsage(elapsed)];
  let isClosing = false;
  const again = (job: ReadJob): void => (isClosing ? job.reject(clientLeft()) : reads.push(job));
  const reads = openQueue<ReadJob>({
    maxGroup: MAX_GROUP,
    maxWaitMs: READS_WAIT_MS,
    consume: (jobs) => readGroup(jobs, { ...readOptions, usage: usageOfReads, again }),
    usage: usageOfReads,
    onFatal,
  });
  const writes = openQueue<Job>({
    maxGroup: MAX_GROUP,
    maxWaitMs: WRITES_WAIT_MS,
    consume: (jobs, join) => commit(jobs, usageOfWrites, join),
    usage: usageOfWrites,
    onFatal,
  });
  return {
    read: (work, scope) => enqueue(reads, work, elapsed(), scope),
    write: (work, scope) => enqueue(writes, work, elapsed(), scope),
    queues: () => ({
      writes: stateOf(writes.waiting(), elapsed()),
      reads: stateOf(reads.waiting(), elapsed()),
    }),
    siftWrites: writes.sift,
    close: async () => {
      isClosing = true;
      await Promise.all([writes.close(), reads.close()]);
    },
  };
}

function stateOf({ count, oldest }: Waiting, now: number): QueueState {
  return { count, ageMs: oldest === undefined ? 0 : now - oldest };
}

function enqueue<Tx, T>(
  queue: { push(job: Queued<Tx>): void },
  work: (tx: Tx) => Promise<T>,
  queuedAt: number,
  scope = NO_TENANT,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // The queue holds jobs of many result types; each receives only what its `work` returns.
    queue.push({ ...scope, queuedAt, work, resolve: (value) => resolve(value as T), reject });
  });
}

type Queued<Tx> = Scope & {
  queuedAt: number;
  work: (tx: Tx) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
