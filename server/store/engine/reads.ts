// Groups of reads that share one snapshot of committed data. A group that exceeds its time ends, and the rest waits for
// the next turn of the event loop.
import { clientLeft } from '../../domain/errors.ts';
import type { Recipient } from '../../domain/recipient.ts';
import type { Reader } from './transaction.ts';
import type { Party, Usage } from './usage.ts';

export type ReadJob = Party & {
  queuedAt: number;
  recipient?: Recipient | undefined;
  work: (reader: Reader) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

export type ReadOptions = {
  usage: Usage;
  /** Called with a job whose result has room again. */
  again: (job: ReadJob) => void;
  /** Runs `work` in one snapshot of committed data. */
  snapshot(work: (reader: Reader) => Promise<void>): Promise<void>;
  /** Whether no read can follow this error in the snapshot. */
  endsTransaction(error: unknown): boolean;
  /** Called with such an error. */
  onFailure: (error: unknown) => void;
};

/** Short, since a request takes several turns of the event loop. */
const MAX_MS = 4;

/** Returns the jobs left for the next group; at least one has run or been dropped. */
export async function readGroup(
  jobs: readonly ReadJob[],
  { usage, again, snapshot, endsTransaction, onFailure }: ReadOptions,
): Promise<readonly ReadJob[]> {
  const slice = usage.openSlice(MAX_MS);
  let done = 0;
  try {
    await snapshot(async (reader) => {
      for (const job of jobs) {
        done += 1;
        if (isDropped(job) || isDelayed(job, again)) continue;
        await readAlone(reader, job, endsTransaction);
        await responding();
        if (slice.isOverAfter([job])) break;
      }
    });
    return jobs.slice(done);
  } catch (error) {
    for (const job of jobs) job.reject(error);
    onFailure(error);
    return [];
  }
}

/**
 * Resolves when the caller has built its response, or waits for something else. For a page this takes ten times as long
 * as reading it, and is charged and limited like the read. Node runs a tick once no microtask is left.
 */
function responding(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Clients that reconnect instead of waiting would otherwise queue reads faster than they run. */
function isDropped({ recipient, reject }: ReadJob): boolean {
  if (recipient?.hasLeft() !== true) return false;
  reject(clientLeft());
  return true;
}

/** Its result would have no room in memory now. */
function isDelayed(job: ReadJob, again: (job: ReadJob) => void): boolean {
  const room = job.recipient?.room?.();
  void room?.then(() => again(job));
  return room !== undefined;
}

async function readAlone(
  reader: Reader,
  { work, resolve, reject }: ReadJob,
  endsTransaction: ReadOptions['endsTransaction'],
): Promise<void> {
  try {
    resolve(await work(reader));
  } catch (error) {
    if (endsTransaction(error)) throw error;
    reject(error);
  }
}
