// The Reader and the Transaction on a database file, whose statements are synchronous.
import type { Millis } from '../../../domain/time/clock.ts';
import { versionInGroup } from '../../whole-hub.ts';
import type { Group } from '../group.ts';
import { countsInGroup } from '../group-counts.ts';
import type { NetworkSeqs } from '../network-seqs.ts';
import { inEach, type Sql, textFor } from '../sql.ts';
import {
  type CounterTable,
  collecting,
  type Gathered,
  nothing,
  openPause,
  type Reader,
  type SqlValue,
  type Touch,
  type Transaction,
} from '../transaction.ts';
import type { Usage } from '../usage.ts';
import { endsTransaction } from './errors.ts';
import { networkSeqsOn } from './network-seqs.ts';
import type { Statements } from './statements.ts';

export function readerOn(statements: Statements, networkSeqs: NetworkSeqs, now: Millis): Reader {
  return {
    now,
    networkSeq: networkSeqs.of,
    all: async <Row>(sql: Sql, args: readonly SqlValue[] = []) => statements.all<Row>(textFor('libsql', sql), args),
    first: async <Row>(sql: Sql, args: readonly SqlValue[] = []) => statements.first<Row>(textFor('libsql', sql), args),
  };
}

type Start = {
  now: Millis;
  usage: Usage;
  /** The committed version of the access rights. */
  accessVersion: number;
};

/** The transaction that the writes of a group share. It has begun. */
export function groupOn(statements: Statements, { now, usage, accessVersion: committed }: Start): Group {
  const accessVersion = versionInGroup(statements, committed);
  const networkSeqs = networkSeqsOn(statements);
  const { arrivals, sent, counts } = countsInGroup((sql, args) => statements.first(sql, args), networkSeqs);
  const pause = openPause();
  const undo: (() => void)[] = [];
  const written = { length: 0 };
  const store = (touches: readonly Touch[]): void => {
    for (const touch of touches) if (touch in counts) storeCounts(touch as CounterTable);
  };
  const storeCounts = (table: CounterTable): void => {
    for (const { sql, args } of counts[table].take()) statements.run(sql, args);
  };
  const numberOfLatest = (): number => statements.first<{ latest: number }>(LATEST.libsql, [])?.latest ?? 0;
  const open = (gathered: Gathered): Transaction => {
    /** A statement without effect leaves nothing to roll back. */
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
      if (touches.includes('networks')) networkSeqs.forget();
      return result;
    };
    const run = (sql: Sql, args: readonly SqlValue[], touches: readonly Touch[]) =>
      write(
        args,
        touches,
        () => statements.run(textFor('libsql', sql), args),
        ({ changes }) => changes > 0,
      );
    return {
      now,
      networkSeq: networkSeqs.of,
      all: async <Row>(sql: Sql, args: readonly SqlValue[] = [], ...counters: readonly CounterTable[]) => {
        store(counters);
        return statements.all<Row>(textFor('libsql', sql), args);
      },
      first: async <Row>(sql: Sql, args: readonly SqlValue[] = [], ...counters: readonly CounterTable[]) => {
        store(counters);
        return statements.first<Row>(textFor('libsql', sql), args);
      },
      run: async (sql, args = [], ...touches) => run(sql, args, touches),
      insert: async (sql, args) => {
        const { changes, lastId } = run(sql, args, []);
        return Array.from({ length: changes }, (_, index) => lastId - changes + 1 + index);
      },
      returning: async <Row>(sql: Sql, args: readonly SqlValue[] = [], ...touches: readonly Touch[]) =>
        write(
          args,
          touches,
          () => statements.all<Row>(textFor('libsql', sql), args),
          (rows) => rows.length > 0,
        ),
      // The sequence of the table gives out no number below one that was stored.
      numberEvents: async () => numberOfLatest(),
      accessVersion: () => accessVersion.read(),
      arrivals,
      sent,
      pause,
      ...collecting(gathered),
    };
  };
  return {
    pause,
    usage,
    undo,
    written,
    isPipelined: false,
    maxMs: MAX_MS,
    endsTransaction,
    savepoint: (name) => {
      store(['inboxes', 'task_counts']);
      statements.exec(`SAVEPOINT ${name}`);
    },
    release: (name) => statements.exec(`RELEASE ${name}`),
    rollBackTo: (name) => {
      statements.exec(`ROLLBACK TO ${name}`);
      accessVersion.forget();
      networkSeqs.forget();
      for (const gathered of Object.values(counts)) gathered.forget();
    },
    finish: async () => {
      for (const gathered of Object.values(counts)) {
        for (const { sql, args } of gathered.take()) {
          statements.run(sql, args);
          await pause();
        }
      }
      return accessVersion.read();
    },
    open,
    openLast: () => open(nothing()),
  };
}

const LATEST = inEach(({ latestEvent }) => `SELECT ${latestEvent} AS latest`);

/** The event loop is blocked while a group runs. */
const MAX_MS = 5;
