// The one door to the database: `read` and `write`. Every write of the program passes through the write queue here, in
// groups that share one transaction and one fsync. A write is answered, and its events are published, only after the
// commit.
import type { Clock, Millis } from '../domain/clock.ts';
import type { NewEvent, StreamEvent } from '../domain/events.ts';
import * as access from './access.ts';
import { connect, RECIPE } from './connection.ts';
import { commitGroup, readGroup, type Job } from './group.ts';
import { opening } from './opening.ts';
import { openQueue } from './queue.ts';

export type SqlValue = string | number | null;

/** Rows come back as the STRICT tables hold them, so `Row` is the caller's word for the columns it lists. */
export type Reader = {
  readonly now: Millis;
  all<Row>(sql: string, args?: readonly SqlValue[]): Promise<Row[]>;
  first<Row>(sql: string, args?: readonly SqlValue[]): Promise<Row | undefined>;
};

export type Transaction = Reader & {
  /** Runs one statement that returns no rows. */
  run(sql: string, args?: readonly SqlValue[]): Promise<{ changes: number; lastId: number }>;
  /** Makes an event part of this transaction; the streams get it once the commit stands. */
  publish(event: NewEvent): void;
  /** Takes back the events of a network that this transaction removes, also those of others in its commit. */
  dropEvents(networkId: string): void;
  /** Runs once the commit stands; never when it did not. */
  afterCommit(effect: () => void): void;
};

export type Database = {
  /** Rises, before any write is answered, with every change of who may do what. */
  accessVersion(): number;
  /** Everything `work` reads is one snapshot of what was committed. */
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /** `work` must await nothing but the transaction. It may run beside others in one commit, but fails alone. */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Waits for what is queued, moves the log into the database file and closes it. */
  close(): Promise<void>;
};

export type DatabaseOptions = {
  file: string;
  clock: Clock;
  /** Runs at the start of every group of writes, before any of them. */
  before?: (tx: Transaction) => Promise<void>;
  publish: (events: readonly StreamEvent[]) => void;
  /** Called when going on would lie (a failed commit, a busy or damaged file); the process must end. */
  onFatal: (error: unknown) => void;
};

const MAX_GROUP = 256;

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { writer, reader, version } = await opening(options.file, () => connectBoth(options.file));
  const now = steadyClock(options.clock);
  let accessVersion = version;
  const onAccessVersion = (version: number): void => void (accessVersion = version);
  const writes = openQueue<Job>(MAX_GROUP, (jobs) => commitGroup(writer, jobs, now(), { ...options, onAccessVersion }));
  const reads = openQueue<Job>(MAX_GROUP, (jobs) => readGroup(reader, jobs, now(), options));
  return {
    accessVersion: () => accessVersion,
    read: (work) => enqueue(reads, work),
    write: (work) => enqueue(writes, work),
    close: async () => {
      await Promise.all([writes.close(), reads.close()]);
      await writer.execute('PRAGMA wal_checkpoint(TRUNCATE)');
      reader.close();
      writer.close();
    },
  };
}

async function connectBoth(file: string) {
  const writer = await connect(file, RECIPE);
  const reader = await connect(file, { ...RECIPE, query_only: 1 });
  return { writer, reader, version: await access.versionOf(reader) };
}

// Time in the records never runs backwards, even when the machine's clock is set back.
function steadyClock(clock: Clock): () => Millis {
  let latest = 0;
  return () => (latest = Math.max(latest, clock.now()));
}

function enqueue<T>(queue: { push(job: Job): void }, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // The queue holds jobs of many result types; each is handed only what its own `work` returned.
    queue.push({ work, resolve: (value) => resolve(value as T), reject });
  });
}
