// The Reader and the Transaction that the functions of the store receive. A Transaction runs statements in the
// transaction of its group and collects what must wait for the end of the group or for the commit.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewEvent } from '../../domain/events.ts';
import type { Stage } from '../../domain/message.ts';
import type { TaskMove } from '../../domain/task-event.ts';
import type { Millis } from '../../domain/time/clock.ts';
import type { SentTasks } from '../counts/task-counts.ts';
import type { Emitted } from '../events.ts';
import type { Arrivals } from '../inboxes.ts';
import type { VersionInGroup } from '../whole-hub.ts';
import type { GatheredCounts } from './gathered-counts.ts';
import type { NetworkSeqs } from './network-seqs.ts';
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

/** The tables are STRICT, so `Row` is the caller's declaration of the columns it selects. */
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
  /** Adds an event to this transaction; streams receive it after the commit. */
  publish(event: NewEvent): void;
  /** Adds a task transition, which is also the `task` event, to this transaction. */
  record(move: TaskMove): void;
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

/** The transaction that the writes of a group share. */
export type Group = {
  statements: Statements;
  now: Millis;
  accessVersion: VersionInGroup;
  networkSeqs: NetworkSeqs;
  arrivals: Arrivals;
  sent: SentTasks;
  /** All collected counter increments. */
  counts: Readonly<Record<CounterTable, GatheredCounts>>;
  pause: Pause;
  /** Charged for each write; limits the group. */
  usage: Usage;
  /** Whether its transaction has begun. */
  hasBegun: boolean;
  /** Callbacks that undo changes in memory on rollback, in the order of the changes. */
  undo: (() => void)[];
  /** The length of all texts that its statements have written, in UTF-16 units. */
  written: { length: number };
};

/** The effects of a write that wait for the end of its group. */
export type Gathered = {
  emitted: Emitted[];
  counts: [stage: Stage, deliveries: number][];
  effects: (() => void)[];
  hasWritten: boolean;
};

export const nothing = (): Gathered => ({ emitted: [], counts: [], effects: [], hasWritten: false });

/** Undoes changes in memory since `start`, last first. */
export function undoSince({ undo }: Group, start = 0): void {
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
  const { statements, now, accessVersion, networkSeqs, arrivals, sent, counts, pause, undo, written } = group;
  const store = (touches: readonly Touch[]): void => {
    for (const touch of touches) if (touch !== 'rights') counts[touch].store();
  };
  /** Runs a statement that writes. A statement without effect leaves nothing to roll back. */
  const write = <Result>(
    args: readonly SqlValue[],
    touches: readonly Touch[],
    execute: () => Result,
    isChange: (result: Result) => boolean,
  ): Result => {
    store(touches);
    for (const value of args) if (typeof value === 'string') written.length += value.length;
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
        args,
        touches,
        () => statements.run(sql, args),
        ({ changes }) => changes > 0,
      ),
    returning: async <Row>(sql: string, args: readonly SqlValue[] = [], ...touches: readonly Touch[]) =>
      write(
        args,
        touches,
        () => statements.all<Row>(sql, args),
        (rows) => rows.length > 0,
      ),
    accessVersion: () => accessVersion.read(),
    arrivals,
    sent,
    pause,
    publish: (event) => void gathered.emitted.push({ event }),
    record: (move) => void gathered.emitted.push({ move }),
    count: (stage, deliveries) => void gathered.counts.push([stage, deliveries]),
    afterCommit: (effect) => void gathered.effects.push(effect),
    onRollback: (effect) => void undo.push(effect),
  };
}
