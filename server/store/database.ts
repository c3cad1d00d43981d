// The one door to the database: `read` and `write`. Every write of the program passes through the write queue here,
// in groups that share one transaction and one fsync, each write in a savepoint of its own. A write is answered,
// and its events are published, only after the commit.
import { createClient, LibsqlError, type Client, type Transaction as Connection } from '@libsql/client';
import type { Clock, Millis } from '../domain/clock.ts';
import { storageFull } from '../domain/errors.ts';
import type { NewEvent, StreamEvent } from '../domain/events.ts';
import { append } from './events.ts';
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
  /** Runs once the commit stands; never when it did not. */
  afterCommit(effect: () => void): void;
};

export type Database = {
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
  publish: (events: readonly StreamEvent[]) => void;
  /** Called when going on would lie (a failed commit, a busy or damaged file); the process must end. */
  onFatal: (error: unknown) => void;
};

const MAX_GROUP = 256;

// journal_mode and synchronous: an acknowledged write survives a power cut. trusted_schema and cell_size_check: a
// damaged or foreign file fails early. journal_size_limit: the log file shrinks again after a burst.
const RECIPE = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  temp_store: 2,
  trusted_schema: 0,
  cell_size_check: 1,
  cache_size: -16_000,
  journal_size_limit: 67_108_864,
} as const;

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const writer = await connect(options.file, RECIPE);
  const reader = await connect(options.file, { ...RECIPE, query_only: 1 });
  const now = steadyClock(options.clock);
  const writes = openQueue<Job>(MAX_GROUP, (jobs) => commitGroup(writer, jobs, now(), options));
  const reads = openQueue<Job>(MAX_GROUP, (jobs) => readGroup(reader, jobs, now(), options));
  return {
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

async function connect(file: string, recipe: Record<string, string | number>): Promise<Client> {
  const client = createClient({ url: `file:${encodeURI(file)}`, concurrency: 1 });
  for (const [name, wanted] of Object.entries(recipe)) {
    await client.execute(`PRAGMA ${name} = ${wanted}`);
    const { rows } = await client.execute(`PRAGMA ${name}`);
    const found = rows[0]?.[0];
    if (found !== wanted) throw new Error(`the database refused PRAGMA ${name} = ${wanted} (it is ${String(found)})`);
  }
  return client;
}

// Time in the records never runs backwards, even when the machine's clock is set back.
function steadyClock(clock: Clock): () => Millis {
  let latest = 0;
  return () => (latest = Math.max(latest, clock.now()));
}

type Job = {
  work: (tx: Transaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

function enqueue<T>(queue: { push(job: Job): void }, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    // The queue holds jobs of many result types; each is handed only what its own `work` returned.
    queue.push({ work, resolve: (value) => resolve(value as T), reject });
  });
}

async function commitGroup(client: Client, jobs: readonly Job[], now: Millis, options: DatabaseOptions): Promise<void> {
  try {
    const { events, settlements } = await runGroup(client, jobs, now);
    options.publish(events);
    for (const settle of settlements) settle();
  } catch (error) {
    for (const job of jobs) job.reject(isFull(error) ? storageFull() : error);
    if (!isFull(error)) options.onFatal(error);
  }
}

type Outcome = { events: readonly NewEvent[]; settle: () => void };

async function runGroup(client: Client, jobs: readonly Job[], now: Millis) {
  const connection = await client.transaction('write');
  try {
    const outcomes: Outcome[] = [];
    for (const job of jobs) outcomes.push(await runAlone(connection, job, now));
    const events = await append({ now, run: runOn(connection) }, outcomes.flatMap((outcome) => outcome.events));
    await connection.commit();
    return { events, settlements: outcomes.map((outcome) => outcome.settle) };
  } finally {
    connection.close();
  }
}

// `executeMultiple` takes 1 µs for a savepoint where `execute` takes 7: it prepares nothing.
async function runAlone(connection: Connection, job: Job, now: Millis): Promise<Outcome> {
  const events: NewEvent[] = [];
  const effects: (() => void)[] = [];
  await connection.executeMultiple('SAVEPOINT job');
  try {
    const value = await job.work(transactionOn(connection, now, events, effects));
    await connection.executeMultiple('RELEASE job');
    return { events, settle: () => (effects.forEach((effect) => effect()), job.resolve(value)) };
  } catch (error) {
    if (endsTransaction(error)) throw error;
    await connection.executeMultiple('ROLLBACK TO job; RELEASE job');
    return { events: [], settle: () => job.reject(error) };
  }
}

function transactionOn(connection: Connection, now: Millis, events: NewEvent[], effects: (() => void)[]): Transaction {
  return {
    ...readerOn(connection, now),
    run: runOn(connection),
    publish: (event) => void events.push(event),
    afterCommit: (effect) => void effects.push(effect),
  };
}

function runOn(connection: Connection): Transaction['run'] {
  return async (sql, args = []) => {
    const result = await connection.execute({ sql, args: args.map(bound) });
    return { changes: result.rowsAffected, lastId: Number(result.lastInsertRowid) };
  };
}

async function readGroup(client: Client, jobs: readonly Job[], now: Millis, options: DatabaseOptions): Promise<void> {
  try {
    const connection = await client.transaction('deferred');
    for (const job of jobs) await readAlone(connection, job, now);
    connection.close();
  } catch (error) {
    for (const job of jobs) job.reject(error);
    options.onFatal(error);
  }
}

async function readAlone(connection: Connection, job: Job, now: Millis): Promise<void> {
  try {
    job.resolve(await job.work(transactionOn(connection, now, [], [])));
  } catch (error) {
    if (endsTransaction(error)) throw error;
    job.reject(error);
  }
}

function readerOn(connection: Connection, now: Millis): Reader {
  const all = async <Row>(sql: string, args: readonly SqlValue[] = []): Promise<Row[]> => {
    const { rows } = await connection.execute({ sql, args: args.map(bound) });
    // STRICT tables and the column list of the statement make the rows what the caller says they are.
    return rows as Row[];
  };
  return { now, all, first: async <Row>(sql: string, args?: readonly SqlValue[]) => (await all<Row>(sql, args))[0] };
}

// libSQL binds every JavaScript number as REAL; a whole number must arrive as an INTEGER.
function bound(value: SqlValue): string | number | bigint | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

const ENDS_TRANSACTION = new Set(['SQLITE_BUSY', 'SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_FULL', 'SQLITE_NOMEM']);

function endsTransaction(error: unknown): boolean {
  return error instanceof LibsqlError && ENDS_TRANSACTION.has(error.code);
}

function isFull(error: unknown): boolean {
  return error instanceof LibsqlError && error.code === 'SQLITE_FULL';
}
