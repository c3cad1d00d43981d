// The database of one hub: a file. One connection writes, another reads.
import { statSync } from 'node:fs';
import { databaseGone, storageFull, unavailable } from '../../../domain/errors.ts';
import { guardCounters, watchLowCounters } from '../../counts/counters.ts';
import { identityOf } from '../../file/on-disk.ts';
import { opening } from '../../file/open.ts';
import * as wholeHub from '../../whole-hub.ts';
import { openCalls, UNMETERED } from '../calls.ts';
import type { Database, DatabaseOptions } from '../database.ts';
import { commitGroup, type Failure } from '../group.ts';
import type { Job } from '../jobs.ts';
import { openObstacle } from '../obstacle.ts';
import type { Usage } from '../usage.ts';
import { openCheckpoints } from './checkpoints.ts';
import { connect, RECIPE } from './connection.ts';
import { diskSpaceOf, watchFullness } from './disk-space.ts';
import { endsTransaction, isBusy, isFull } from './errors.ts';
import { networkSeqsOn } from './network-seqs.ts';
import { openReserve } from './reserve.ts';
import { groupOn, readerOn } from './transaction.ts';

/**
 * 16 MB. A smaller log means more checkpoints, each of which waits for the disk twice and writes the same pages again.
 */
const MAX_LOG_PAGES = 4_000;
/**
 * The time to send error responses after a failed read. SQLite reports an unreadable disk the same way as a damaged
 * file.
 */
const RESPOND_MS = 100;

export async function openFile(options: DatabaseOptions): Promise<Database> {
  const { database: file } = options;
  const { writer, reader, idKey, ...first } = await opening(file, async () => connectBoth(file));
  const { now } = options.clock;
  let { version } = first;
  const { elapsed = () => performance.now(), onLowCounter = () => {}, maxLogPages = MAX_LOG_PAGES } = options;
  const fullness = watchFullness(file);
  const reserve = openReserve(file, elapsed);
  const opened = identityOf(file);
  const isGone = (): boolean => identityOf(file) !== opened;
  const lock = openObstacle(elapsed, () =>
    unavailable('another program has locked the database; try again in a few seconds'),
  );
  const failureOf = (error: unknown, hasBegun: boolean, jobs: readonly Job[]): Failure => {
    if (!hasBegun && isBusy(error)) return 'again';
    if (!isFull(error, file)) {
      options.onFatal(error);
      return { error, spared: [] };
    }
    fullness.writeFailed();
    const isFreed = jobs.some(revokesAccess) && reserve.release();
    return { error: storageFull(), spared: isFreed ? jobs.filter(revokesAccess) : [] };
  };
  const groupOptions = {
    meter: UNMETERED,
    ...options,
    failureOf,
    onCommit: watchLowCounters(writer.statements, elapsed, onLowCounter),
    onAccessVersion: (changed: number): void => void (version = changed),
  };
  const { before: _, ...urgentOptions } = groupOptions;
  const checkpoints = openCheckpoints({
    file,
    recipe: RECIPE,
    maxPages: maxLogPages,
    isGone,
    onFatal: options.onFatal,
  });
  const commit = async (jobs: readonly Job[], usage: Usage): Promise<readonly Job[]> => {
    await checkpoints.beforeWrites();
    // A copy of the open files, which is the way to save the data, would not have what is written after it.
    if (isGone()) {
      for (const job of jobs) job.reject(databaseGone());
      return [];
    }
    const isKept = reserve.isKept();
    const admitted = isKept ? jobs : admitUrgent(jobs);
    if (admitted.length === 0) return [];
    const { left, length, mustWait } = await commitGroup(admitted, {
      ...(isKept ? groupOptions : urgentOptions),
      usage,
      transaction: (_, work) =>
        writer.transaction('IMMEDIATE', () =>
          work(groupOn(writer.statements, { now: now(), usage, accessVersion: version })),
        ),
    });
    if (mustWait) return lock.wait(left);
    lock.ended();
    checkpoints.committed(length);
    return left;
  };
  const networkSeqs = networkSeqsOn(reader.statements);
  let failure: unknown;
  const calls = openCalls({
    elapsed,
    commit,
    reads: {
      snapshot: (work) => reader.transaction('DEFERRED', () => work(readerOn(reader.statements, networkSeqs, now()))),
      endsTransaction,
      onFailure: (error) => {
        failure ??= error;
        setTimeout(() => options.onFatal(error), RESPOND_MS);
      },
    },
    onFatal: options.onFatal,
  });
  const unlessFailed = <T>(ask: () => Promise<T>): Promise<T> =>
    failure === undefined ? ask() : Promise.reject(failure);
  return {
    idKey,
    accessVersion: () => version,
    read: (work, scope) => unlessFailed(() => calls.read(work, scope)),
    write: (work, scope) => unlessFailed(() => calls.write(work, scope)),
    sizes: () => ({ database: bytesOf(file), log: bytesOf(`${file}-wal`) }),
    disk: () => diskSpaceOf(file),
    isFull: () => !reserve.isKept() || fullness.isFull(diskSpaceOf(file)),
    isGone,
    isLeader: () => true,
    cluster: undefined,
    heartbeatsStored: () => {},
    tell: () => {},
    queues: () => {
      const { writes, reads } = calls.queues();
      return { writes: { ...writes, ageMs: Math.max(writes.ageMs, lock.ageMs()) }, reads };
    },
    close: async (onLogLeft) => {
      await calls.close();
      await checkpoints.close();
      // This connection's temporary tables have no log, and may be in use.
      try {
        writer.statements.exec('PRAGMA main.wal_checkpoint(TRUNCATE)');
      } catch (error) {
        if (onLogLeft === undefined || !isFull(error, file)) throw error;
        onLogLeft();
      }
      reader.close();
      writer.close();
    },
  };
}

const revokesAccess = (job: Job): boolean => job.revokesAccess === true;

/** Rejects the other jobs. */
function admitUrgent(jobs: readonly Job[]): readonly Job[] {
  for (const job of jobs) if (!revokesAccess(job)) job.reject(storageFull());
  return jobs.filter(revokesAccess);
}

/** Undefined if there is no file with this name. */
function connectBoth(file: string) {
  const writer = connect(file, RECIPE);
  guardCounters(writer.statements);
  const reader = connect(file, { ...RECIPE, query_only: 1 });
  return {
    writer,
    reader,
    version: wholeHub.accessVersionOn(reader.statements),
    idKey: wholeHub.idKeyOn(reader.statements),
  };
}

// Reads the size by name: opening the file here would release the locks that SQLite holds on it.
function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
