// Groups of reads and writes that share a transaction. A write runs in a savepoint of its own, so that it fails alone;
// its events are stored with those of the whole group in one statement before the commit.
import { LibsqlError, type Client, type Transaction as Connection } from '@libsql/client';
import type { Millis } from '../domain/clock.ts';
import { storageFull } from '../domain/errors.ts';
import type { NewEvent, StreamEvent } from '../domain/events.ts';
import * as access from './access.ts';
import { readerOn, runOn } from './connection.ts';
import type { Transaction } from './database.ts';
import { append } from './events.ts';

export type Job = {
  work: (tx: Transaction) => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

type Ends = {
  before?: (tx: Transaction) => Promise<void>;
  publish: (events: readonly StreamEvent[]) => void;
  onAccessVersion: (version: number) => void;
  onFatal: (error: unknown) => void;
};

/** Runs all jobs in one transaction; settles each, and publishes its events, only after the commit. */
export async function commitGroup(client: Client, jobs: readonly Job[], now: Millis, ends: Ends): Promise<void> {
  try {
    const { events, settlements, accessVersion } = await runGroup(client, jobs, now, ends.before);
    ends.onAccessVersion(accessVersion);
    ends.publish(events);
    for (const settle of settlements) settle();
  } catch (error) {
    for (const job of jobs) job.reject(isFull(error) ? storageFull() : error);
    if (!isFull(error)) ends.onFatal(error);
  }
}

type Outcome = Gathered & { settle: () => void };
/** What a job leaves for the end of its group. */
type Gathered = { events: NewEvent[]; dropped: string[]; effects: (() => void)[] };

const nothing = (): Gathered => ({ events: [], dropped: [], effects: [] });

async function runGroup(client: Client, jobs: readonly Job[], now: Millis, before: Ends['before']) {
  const connection = await client.transaction('write');
  try {
    const outcomes: Outcome[] = before === undefined ? [] : [await runFirst(connection, before, now)];
    await connection.executeMultiple('SAVEPOINT job');
    for (const job of jobs) outcomes.push(await runAlone(connection, job, now));
    const events = await append({ now, run: runOn(connection) }, eventsOf(outcomes));
    const accessVersion = await access.version(readerOn(connection, now));
    await connection.commit();
    return { accessVersion, events, settlements: outcomes.map((outcome) => outcome.settle) };
  } finally {
    connection.close();
  }
}

function eventsOf(outcomes: readonly Outcome[]): NewEvent[] {
  const dropped = new Set(outcomes.flatMap((outcome) => outcome.dropped));
  const events = outcomes.flatMap((outcome) => outcome.events);
  return dropped.size === 0 ? events : events.filter(({ network_id }) => !dropped.has(network_id));
}

// What comes before the jobs has no savepoint: if it fails, so does the group.
async function runFirst(connection: Connection, before: (tx: Transaction) => Promise<void>, now: Millis): Promise<Outcome> {
  const gathered = nothing();
  await before(transactionOn(connection, now, gathered));
  return { ...gathered, settle: () => {} };
}

// Each job begins with a savepoint open and leaves a fresh one to the next; the commit releases the last.
// `executeMultiple` takes 1 µs for one where `execute` takes 7: it prepares nothing.
async function runAlone(connection: Connection, job: Job, now: Millis): Promise<Outcome> {
  const gathered = nothing();
  try {
    const value = await job.work(transactionOn(connection, now, gathered));
    await connection.executeMultiple('RELEASE job; SAVEPOINT job');
    return { ...gathered, settle: () => (gathered.effects.forEach((effect) => effect()), job.resolve(value)) };
  } catch (error) {
    if (endsTransaction(error)) throw error;
    await connection.executeMultiple('ROLLBACK TO job');
    return { ...nothing(), settle: () => job.reject(error) };
  }
}

function transactionOn(connection: Connection, now: Millis, { events, dropped, effects }: Gathered): Transaction {
  return {
    ...readerOn(connection, now),
    run: runOn(connection),
    publish: (event) => void events.push(event),
    dropEvents: (networkId) => void dropped.push(networkId),
    afterCommit: (effect) => void effects.push(effect),
  };
}

/** Runs all jobs on one snapshot of what was committed. */
export async function readGroup(client: Client, jobs: readonly Job[], now: Millis, ends: Pick<Ends, 'onFatal'>): Promise<void> {
  try {
    const connection = await client.transaction('deferred');
    for (const job of jobs) await readAlone(connection, job, now);
    connection.close();
  } catch (error) {
    for (const job of jobs) job.reject(error);
    ends.onFatal(error);
  }
}

async function readAlone(connection: Connection, job: Job, now: Millis): Promise<void> {
  try {
    job.resolve(await job.work(transactionOn(connection, now, nothing())));
  } catch (error) {
    if (endsTransaction(error)) throw error;
    job.reject(error);
  }
}

const ENDS_TRANSACTION = new Set(['SQLITE_BUSY', 'SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_FULL', 'SQLITE_NOMEM']);

function endsTransaction(error: unknown): boolean {
  return error instanceof LibsqlError && ENDS_TRANSACTION.has(error.code);
}

function isFull(error: unknown): boolean {
  return error instanceof LibsqlError && error.code === 'SQLITE_FULL';
}
