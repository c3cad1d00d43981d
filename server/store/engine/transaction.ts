// The Reader and the Transaction that the functions of the store receive, on either database. A Transaction runs
// statements in the transaction of its group and collects what must wait for the end of the group or for the commit.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewEvent } from '../../domain/events.ts';
import type { Stage } from '../../domain/message.ts';
import type { TaskMove } from '../../domain/task-event.ts';
import type { Millis } from '../../domain/time/clock.ts';
import type { SentTasks } from '../counts/task-counts.ts';
import type { Emitted } from '../events.ts';
import type { Arrivals } from '../inboxes.ts';
import type { Sql } from './sql.ts';

export type SqlValue = string | number | null;

/** A table of counters whose increments a group of writes collects in memory. */
export type CounterTable = 'inboxes' | 'task_counts';

/**
 * State that a group keeps in memory and that a statement uses, directly or through a trigger. Collected counter
 * increments are stored before the statement runs; the version of the access rights, and the numbers of networks, are
 * read again after it. The function that issues a statement declares it, and `test/store/statements.test.ts` checks the
 * declaration against SQLite's byte code.
 */
export type Touch = CounterTable | 'rights' | 'networks';

/** The tables are STRICT, so `Row` is the caller's declaration of the columns it selects. */
export type Reader = {
  readonly now: Millis;
  all<Row>(sql: Sql, args?: readonly SqlValue[], ...counters: readonly CounterTable[]): Promise<Row[]>;
  first<Row>(sql: Sql, args?: readonly SqlValue[], ...counters: readonly CounterTable[]): Promise<Row | undefined>;
  /** The `network_seq` of a network; see network-seqs.ts. */
  networkSeq(networkId: string): number | null;
};

export type Transaction = Reader & {
  /** Runs a statement that writes. */
  run(sql: Sql, args?: readonly SqlValue[], ...touches: readonly Touch[]): Promise<{ changes: number }>;
  /** Inserts rows into a table that numbers them, and returns their numbers in order. */
  insert(sql: string, args: readonly SqlValue[]): Promise<number[]>;
  /** Runs a statement that writes, with a RETURNING clause. */
  returning<Row>(sql: Sql, args?: readonly SqlValue[], ...touches: readonly Touch[]): Promise<Row[]>;
  /** Adds an event to this transaction; streams receive it after the commit. */
  publish(event: NewEvent): void;
  /** Adds a task transition, which is also the `task` event, to this transaction. */
  record(move: TaskMove): void;
  /** Takes the numbers of this many events, which follow those of all events before. Returns the number before them. */
  numberEvents(count: number): Promise<number>;
  /** Messages that arrive in inboxes with this commit; the only way to count them. */
  arrivals: Arrivals;
  /** Tasks sent with this commit; the only way to count them. */
  sent: SentTasks;
  /** Counts deliveries that reached this stage, after the commit. */
  count(stage: Stage, deliveries: number): void;
  pause: Pause;
  /** Runs after the commit succeeds, and never otherwise. */
  afterCommit(effect: () => void): void;
  /** Runs on rollback, even if the work is then repeated. */
  onRollback(effect: () => void): void;
  /** The access version, as this transaction sees it. */
  accessVersion(): number;
};

const MAX_HELD_MS = 10;

/**
 * Call between the steps of a long write. Once the transaction has held the event loop for 10 ms, reads, streams and
 * requests continue meanwhile; other writes wait for its end.
 */
export type Pause = () => Promise<void>;

export function openPause(): Pause {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_HELD_MS) return;
    await nextTurn();
    since = performance.now();
  };
}

/** The effects of a write that wait for the end of its group. */
export type Gathered = {
  emitted: Emitted[];
  counts: [stage: Stage, deliveries: number][];
  effects: (() => void)[];
  /** Callbacks that undo changes in memory on rollback, in the order of the changes. */
  undo: (() => void)[];
  hasWritten: boolean;
};

export const nothing = (): Gathered => ({ emitted: [], counts: [], effects: [], undo: [], hasWritten: false });

/** What a transaction collects instead of doing it, on either database. */
export function collecting({
  emitted,
  counts,
  effects,
  undo,
}: Gathered): Pick<Transaction, 'publish' | 'record' | 'count' | 'afterCommit' | 'onRollback'> {
  return {
    publish: (event) => void emitted.push({ event }),
    record: (move) => void emitted.push({ move }),
    count: (stage, deliveries) => void counts.push([stage, deliveries]),
    afterCommit: (effect) => void effects.push(effect),
    onRollback: (effect) => void undo.push(effect),
  };
}
