// The Reader and the Transaction that callers of the store receive. A Transaction runs statements in the transaction of
// its group and collects what must wait for the end of the group or for the commit.
import type { NewEvent } from '../../domain/events.ts';
import type { Stage } from '../../domain/message.ts';
import type { TaskMove } from '../../domain/task-event.ts';
import type { Millis } from '../../domain/time/clock.ts';
import type { SentTasks } from '../counts/task-counts.ts';
import type { Told } from '../events.ts';
import type { Arrivals } from '../inboxes.ts';
import type { VersionInGroup } from './access-version.ts';
import type { GatheredCounts } from './gathered-counts.ts';
import type { NetworkSeqs } from './network-seqs.ts';
import type { Pause } from './pause.ts';
import type { Statements } from './statements.ts';
import type { Usage } from './usage.ts';

export type SqlValue = string | number | null;

/** A table of counters whose increments a group of writes collects in memory. */
export type CounterTable = 'inboxes' | 'task_counts';

/**
 * State that a group keeps in memory and that a statement uses, directly or through a trigger. Collected counter
 * increments are stored before the statement runs; the version of the access rights is read again after it. The
 * function that issues a statement declares it, and `test/store/statements.test.ts` checks the declaration against
 * SQLite's byte code.
 */
export type Touch = CounterTable | 'rights';

/** Rows come back as the STRICT tables hold them, so `Row` is the caller's word for the columns it lists. */
export type Reader = {
  readonly now: Millis;
  all<Row>(sql: string, args?: readonly SqlValue[], ...counters: readonly CounterTable[]): Promise<Row[]>;
  first<Row>(sql: string, args?: readonly SqlValue[], ...counters: readonly CounterTable[]): Promise<Row | undefined>;
  /** The `network_seq` of a network; see network-seqs.ts. */
  networkSeq(networkId: string): number | null;
};

export type Transaction = Reader & {
  /** Runs a statement that writes. */
  run(
    sql: string,
    args?: readonly SqlValue[],
    ...touches: readonly Touch[]
  ): Promise<{ changes: number; lastId: number }>;
  /** The same with a RETURNING clause. */
  returning<Row>(sql: string, args?: readonly SqlValue[], ...touches: readonly Touch[]): Promise<Row[]>;
  /** Makes an event part of this transaction; the streams get it once the commit stands. */
  publish(event: NewEvent): void;
  /** Makes a move of a task, and the `task` event that it is, part of this transaction. */
  record(move: TaskMove): void;
  /** What came to the inboxes in this commit; no other statement stores it. */
  arrivals: Arrivals;
  /** The tasks sent in this commit; likewise. */
  sent: SentTasks;
  /** Counts deliveries that came this far, once the commit stands. */
  count(stage: Stage, deliveries: number): void;
  /**
   * Between the steps of a write that may take long: serves others than writes when it has held the event loop for 10
   * ms.
   */
  pause: Pause;
  /** Runs once the commit stands; never when it did not. */
  afterCommit(effect: () => void): void;
  /** Runs when what was done here is taken back, also where it is then done again. */
  onRollback(effect: () => void): void;
  /** The version of who may do what, as this transaction sees it. */
  accessVersion(): number;
};

/** One transaction of the writer, which the writes of a group share. */
export type Group = {
  statements: Statements;
  now: Millis;
  accessVersion: VersionInGroup;
  networkSeqs: NetworkSeqs;
  arrivals: Arrivals;
  sent: SentTasks;
  /** What is added to counters, all of it. */
  counts: Readonly<Record<CounterTable, GatheredCounts>>;
  pause: Pause;
  /** Charged for each write; bounds the group. */
  usage: Usage;
  /** What must happen in memory if what was done so far is taken back, in the order it was done. */
  undo: (() => void)[];
};

/** What a write leaves for the end of its group. */
export type Gathered = {
  told: Told[];
  counts: [stage: Stage, deliveries: number][];
  effects: (() => void)[];
  hasWritten: boolean;
};

export const nothing = (): Gathered => ({ told: [], counts: [], effects: [], hasWritten: false });

/** Takes back in memory what was done since `start`, the last first. */
export function takeBack({ undo }: Group, start = 0): void {
  for (const effect of undo.splice(start).reverse()) effect();
}

export function readerOn(statements: Statements, networkSeqs: NetworkSeqs, now: Millis): Reader {
  return {
    now,
    networkSeq: networkSeqs.of,
    all: async <Row>(sql: string, args: readonly SqlValue[] = []) => statements.all<Row>(sql, args),
    first: async <Row>(sql: string, args: readonly SqlValue[] = []) => statements.first<Row>(sql, args),
  };
}

export function transactionOn(group: Group, gathered: Gathered): Transaction {
  const { statements, now, accessVersion, networkSeqs, arrivals, sent, counts, pause, undo } = group;
  const store = (touches: readonly Touch[]): void => {
    for (const touch of touches) if (touch !== 'rights') counts[touch].store();
  };
  /**
   * Runs a statement that writes. One that found nothing to change leaves nothing that a failure would have to take
   * back.
   */
  const write = <Result>(
    touches: readonly Touch[],
    execute: () => Result,
    isChange: (result: Result) => boolean,
  ): Result => {
    store(touches);
    const hadWritten = gathered.hasWritten;
    gathered.hasWritten = true; // unless it succeeds without effect
    const result = execute();
    gathered.hasWritten = hadWritten || isChange(result);
    if (touches.includes('rights')) accessVersion.forget();
    return result;
  };
  return {
    now,
    networkSeq: networkSeqs.of,
    all: async <Row>(sql: string, args: readonly SqlValue[] = [], ...counters: readonly CounterTable[]) => {
      store(counters);
      return statements.all<Row>(sql, args);
    },
    first: async <Row>(sql: string, args: readonly SqlValue[] = [], ...counters: readonly CounterTable[]) => {
      store(counters);
      return statements.first<Row>(sql, args);
    },
    run: async (sql, args = [], ...touches) =>
      write(
        touches,
        () => statements.run(sql, args),
        ({ changes }) => changes > 0,
      ),
    returning: async <Row>(sql: string, args: readonly SqlValue[] = [], ...touches: readonly Touch[]) =>
      write(
        touches,
        () => statements.all<Row>(sql, args),
        (rows) => rows.length > 0,
      ),
    accessVersion: () => accessVersion.read(),
    arrivals,
    sent,
    pause,
    publish: (event) => void gathered.told.push({ event }),
    record: (move) => void gathered.told.push({ move }),
    count: (stage, deliveries) => void gathered.counts.push([stage, deliveries]),
    afterCommit: (effect) => void gathered.effects.push(effect),
    onRollback: (effect) => void undo.push(effect),
  };
}
