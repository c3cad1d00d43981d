// The only access to the database: `read` and `write`. Every write passes through the write queue here, in groups that
// share one transaction and one fsync. A write resolves, and its events are published, only after the commit.
import { statSync } from 'node:fs';
import { clientLeft, databaseGone } from '../../domain/errors.ts';
import type { StreamEvent } from '../../domain/events.ts';
import type { Stage } from '../../domain/message.ts';
import type { Recipient } from '../../domain/recipient.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { guardCounters, type LowCounter, watchLowCounters } from '../counts/counters.ts';
import { identityOf } from '../file/on-disk.ts';
import { opening } from '../file/open.ts';
import * as wholeHub from '../whole-hub.ts';
import { openCheckpoints } from './checkpoints.ts';
import { connect, RECIPE } from './connection.ts';
import { type DiskSpace, diskSpaceOf, watchFullness } from './disk-space.ts';
import { isFull } from './errors.ts';
import { openForeignLock } from './foreign-lock.ts';
import { commitGroup } from './group.ts';
import type { Job } from './jobs.ts';
import { networkSeqsOn } from './network-seqs.ts';
import { openQueue, type Waiting } from './queue.ts';
import { type ReadJob, readGroup } from './reads.ts';
import type { Reader, Transaction } from './transaction.ts';
import { openUsage, type Party } from './usage.ts';

/**
 * On whose behalf a call runs. If many wait, they are served fairly (usage.ts). A write runs after the overdue changes
 * of its networks are written.
 */
export type Scope = Party & {
  networks: readonly string[];
  /** A read waits until its result has room, and fails with `client_left` if it has not started by then. Writes run. */
  recipient?: Recipient | undefined;
};

export type Database = {
  /** The key of the public ids, 32 hexadecimal characters. It never changes during the life of the database. */
  idKey: string;
  /** Increases with every change of access rights, before the write resolves. */
  accessVersion(): number;
  /** Everything `work` reads comes from one snapshot of committed data. Does not run once the caller has left. */
  read<T>(work: (reader: Reader) => Promise<T>, scope?: Scope): Promise<T>;
  /**
   * `work` must await only the transaction. It may share a commit with other writes but fails alone: if another fails,
   * it may be rolled back and run again, so changes in memory need `afterCommit` or `onRollback`.
   */
  write<T>(work: (tx: Transaction) => Promise<T>, scope?: Scope): Promise<T>;
  /** Bytes of the database file, and of its log, which holds what is not yet in the file. */
  sizes(): { database: number; log: number };
  /** The space on the disk of the file; undefined where the file system does not report it. */
  disk(): DiskSpace | undefined;
  /**
   * Whether writes find no space on the disk. Call at most once a second: after a write has failed, it writes to the
   * disk.
   */
  isFull(): boolean;
  /** Whether the file that is open no longer has its name, since it was deleted or replaced. */
  isGone(): boolean;
  /** The calls that wait or run, and for how long the oldest has, or another program has locked the database. */
  queues(): { writes: QueueState; reads: QueueState };
  /**
   * Waits for queued calls, moves the log into the database file and closes it. If the disk is full, the log keeps what
   * is not in the file yet, and the next start reads it there: `onLogLeft` is then called, and without it, this rejects.
   */
  close(onLogLeft?: () => void): Promise<void>;
};

export type QueueState = { count: number; ageMs: number };

export type DatabaseOptions = {
  file: string;
  /** A clock that never runs backwards. */
  clock: Clock;
  /** Milliseconds of a monotonic clock, which limits groups of reads and writes. */
  elapsed?: () => number;
  /**
   * Runs at the start of every group of writes, for their networks. Writes of the networks it returns wait for a later
   * group.
   */
  before?: Before;
  publish: (events: readonly StreamEvent[]) => void;
  meter?: Meter;
  /** The number of pages in the log at which a checkpoint starts. */
  maxLogPages?: number;
  /**
   * Called with an error before or after the writes of a group, such as in a commit hook; the writes are not affected.
   */
  onError: (error: unknown) => void;
  /** Called once for each kind of counter found to be too low. */
  onLowCounter?: (low: LowCounter) => void;
  /**
   * Called when the hub can no longer guarantee its data (a failed commit, a busy or damaged file); the process must
   * end.
   */
  onFatal: (error: unknown) => void;
};

export type Before = (tx: Transaction, networks: readonly string[]) => Promise<ReadonlySet<string>>;

/** Counts what each successful commit did. */
export type Meter = {
  committed(jobs: number, seconds: number): void;
  /** A write failed after a change, so its whole group ran twice. */
  repeated(): void;
  delivered(stage: Stage, deliveries: number): void;
};

const UNMETERED: Meter = { committed: () => {}, repeated: () => {}, delivered: () => {} };
const MAX_GROUP = 256;
/**
 * 16 MB. A smaller log means more checkpoints, each of which waits for the disk twice and writes the same pages again.
 */
const MAX_LOG_PAGES = 4_000;
/**
 * The time to send error responses after a failed read. SQLite reports an unreadable disk the same way as a damaged
 * file.
 */
const RESPOND_MS = 100;

/** A commit costs as much for one write as for many; a group of reads costs nothing. */
const WRITES_WAIT_MS = 5;
const READS_WAIT_MS = 1;

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { writer, reader, idKey, ...first } = await opening(options.file, async () => connectBoth(options.file));
  const { now } = options.clock;
  let { version } = first;
  const accessVersion = (): number => version;
  const { elapsed = () => performance.now(), onLowCounter = () => {}, maxLogPages = MAX_LOG_PAGES } = options;
  const [usageOfReads, usageOfWrites] = [openUsage(elapsed), openUsage(elapsed)];
  const fullness = watchFullness(options.file);
  const opened = identityOf(options.file);
  const isGone = (): boolean => identityOf(options.file) !== opened;
  const lock = openForeignLock(elapsed);
  const groupOptions = {
    meter: UNMETERED,
    ...options,
    onFull: fullness.writeFailed,
    elapsed,
    usage: usageOfWrites,
    accessVersion,
    reportLowCounters: watchLowCounters(writer.statements, elapsed, onLowCounter),
    onAccessVersion: (changed: number): void => void (version = changed),
  };
  const checkpoints = openCheckpoints({
    file: options.file,
    recipe: RECIPE,
    maxPages: maxLogPages,
    isGone,
    onFatal: options.onFatal,
  });
  const commit = async (jobs: readonly Job[]): Promise<readonly Job[]> => {
    await checkpoints.beforeWrites();
    // A copy of the open files, which is the way to save the data, would not have what is written after it.
    if (isGone()) {
      for (const job of jobs) job.reject(databaseGone());
      return [];
    }
    const { left, length, isLocked } = await commitGroup(writer, jobs, now, groupOptions);
    if (isLocked) return lock.wait(jobs);
    lock.ended();
    checkpoints.committed(length);
    return left;
  };
  const writes = openQueue<Job>({
    maxGroup: MAX_GROUP,
    maxWaitMs: WRITES_WAIT_MS,
    consume: commit,
    usage: usageOfWrites,
    onFatal: options.onFatal,
  });
  const committed = { ...reader, networkSeqs: networkSeqsOn(reader.statements) };
  let failure: unknown;
  const onFailedRead = (error: unknown): void => {
    failure ??= error;
    setTimeout(() => options.onFatal(error), RESPOND_MS);
  };
  let isClosing = false;
  const again = (job: ReadJob): void => (isClosing ? job.reject(clientLeft()) : reads.push(job));
  const consume = (jobs: readonly ReadJob[]): Promise<readonly ReadJob[]> =>
    readGroup(committed, jobs, now(), { usage: usageOfReads, again, onFatal: onFailedRead });
  const reads = openQueue<ReadJob>({
    maxGroup: MAX_GROUP,
    maxWaitMs: READS_WAIT_MS,
    consume,
    usage: usageOfReads,
    onFatal: options.onFatal,
  });
  const unlessFailed = <T>(ask: () => Promise<T>): Promise<T> =>
    failure === undefined ? ask() : Promise.reject(failure);
  return {
    idKey,
    accessVersion,
    read: (work, scope) => unlessFailed(() => enqueue(reads, work, elapsed(), scope)),
    write: (work, scope) => unlessFailed(() => enqueue(writes, work, elapsed(), scope)),
    sizes: () => ({ database: bytesOf(options.file), log: bytesOf(`${options.file}-wal`) }),
    disk: () => diskSpaceOf(options.file),
    isFull: () => fullness.isFull(diskSpaceOf(options.file)),
    isGone,
    queues: () => {
      const { count, ageMs } = stateOf(writes.waiting(), elapsed());
      return { writes: { count, ageMs: Math.max(ageMs, lock.ageMs()) }, reads: stateOf(reads.waiting(), elapsed()) };
    },
    close: async (onLogLeft) => {
      isClosing = true;
      await Promise.all([writes.close(), reads.close()]);
      await checkpoints.close();
      // This connection's temporary tables have no log, and may be in use.
      try {
        writer.statements.exec('PRAGMA main.wal_checkpoint(TRUNCATE)');
      } catch (error) {
        if (onLogLeft === undefined || !isFull(error, options.file)) throw error;
        onLogLeft();
      }
      reader.close();
      writer.close();
    },
  };
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

function stateOf({ count, oldest }: Waiting, now: number): QueueState {
  return { count, ageMs: oldest === undefined ? 0 : now - oldest };
}

// Reads the size by name: opening the file here would release the locks that SQLite holds on it.
function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Reads and writes on behalf of one scope. */
export type ScopedStore = {
  scope: Scope;
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
};

export function scoped({ read, write }: Pick<Database, 'read' | 'write'>, scope: Scope = NO_TENANT): ScopedStore {
  return { scope, read: (work) => read(work, scope), write: (work) => write(work, scope) };
}

const NO_TENANT: Scope = { tenant: '', networks: [] };

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
