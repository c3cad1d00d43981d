// The Reader and the Transaction on PostgreSQL.
import type { Millis } from '../../../domain/time/clock.ts';
import type { Group } from '../group.ts';
import { countsInGroup } from '../group-counts.ts';
import type { NetworkSeqs } from '../network-seqs.ts';
import type { Sql } from '../sql.ts';
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
import { endsTransaction, RightsChanged } from './connection/errors.ts';
import type { Statements } from './connection/statements.ts';
import { mergedOn } from './merged.ts';
import type { KnownNetworks } from './networks.ts';
import { EVENTS } from './tail.ts';

export function readerOn(statements: Statements, networkSeqs: Pick<NetworkSeqs, 'of'>, now: Millis): Reader {
  const merged = mergedOn(statements);
  return {
    now,
    networkSeq: networkSeqs.of,
    all: <Row>(sql: Sql, args: readonly SqlValue[] = []) => statements.all<Row>(sql, args),
    first: <Row>(sql: Sql, args: readonly SqlValue[] = []) => merged.first<Row>(sql, args),
  };
}

type Start = {
  hubId: string;
  now: Millis;
  usage: Usage;
  /** As this hub knows it. */
  accessVersion: number;
  networks: KnownNetworks;
};

export type PipelinedGroup = Group & {
  /** Resolves when all statements have run whose results nobody has waited for. */
  ended(): Promise<void>;
  /** The version of the access rights, with its own changes. */
  version(): number;
};

/** The transaction that the writes of a group share. It may still be about to begin. */
export function groupOn(statements: Statements, { hubId, now, usage, networks, ...start }: Start): PipelinedGroup {
  let version = start.accessVersion;
  let hasNumbered = false;
  let hasLocked = false;
  const networkSeqs = networks.fork();
  const merged = mergedOn(statements);
  const { arrivals, sent, counts } = countsInGroup(merged.first, networkSeqs);
  const pause = openPause();
  const undo: (() => void)[] = [];
  const written = { length: 0 };
  const store = async (tables: readonly string[]): Promise<void> => {
    const gathered = Object.entries(counts).filter(([table]) => tables.includes(table));
    const increments = gathered.flatMap(([, each]) => each.take());
    await Promise.all(increments.map(({ sql, args }) => statements.run(sql, args)));
  };
  /** They are sent at once, and their results are awaited with that of the commit. */
  const deferred: Promise<unknown>[] = [];
  const defer = (result: Promise<unknown>): void => {
    result.catch(() => {});
    deferred.push(result);
  };
  /** The version that this transaction sees, which it has changed itself. */
  const readVersion = async (): Promise<void> => {
    version = (await statements.first<Hub>('SELECT access_version FROM hub', []))?.access_version ?? 0;
  };
  /** Other hubs have committed another version since this transaction began. */
  const assertVersion = (hub: Hub | undefined): void => {
    if (hub?.access_version !== version) throw new RightsChanged();
  };
  /** Before its own change, after which a change by others would not show. */
  const lockVersion = async (): Promise<void> => {
    if (hasLocked) return;
    hasLocked = true;
    assertVersion(await statements.first<Hub>(LOCKED, []));
  };
  const open = (gathered: Gathered, isAlone: boolean): Transaction => {
    const on = isAlone ? statements : { ...statements, ...merged };
    /** A failed statement leaves a transaction that accepts nothing but a rollback. */
    const ask = async <Result>(execute: () => Promise<Result>, isChange: (result: Result) => boolean) => {
      try {
        const result = await execute();
        gathered.hasWritten ||= isChange(result);
        return result;
      } catch (error) {
        gathered.hasWritten = true;
        throw error;
      }
    };
    const write = async <Result>(
      args: readonly SqlValue[],
      touches: readonly Touch[],
      execute: () => Promise<Result>,
      isChange: (result: Result) => boolean,
    ): Promise<Result> => {
      await store(touches);
      if (touches.includes('rights')) await lockVersion();
      for (const value of args) if (typeof value === 'string') written.length += value.length;
      const result = await ask(execute, isChange);
      if (touches.includes('rights')) await readVersion();
      if (touches.includes('networks')) await networkSeqs.read(statements);
      return result;
    };
    return {
      now,
      networkSeq: networkSeqs.of,
      all: async <Row>(sql: Sql, args: readonly SqlValue[] = [], ...counters: readonly CounterTable[]) => {
        await store(counters);
        return ask(() => on.all<Row>(sql, args), never);
      },
      first: async <Row>(sql: Sql, args: readonly SqlValue[] = [], ...counters: readonly CounterTable[]) => {
        await store(counters);
        return ask(() => on.first<Row>(sql, args), never);
      },
      run: (sql, args = [], ...touches) =>
        write(
          args,
          touches,
          () => on.run(sql, args),
          ({ changes }) => changes > 0,
        ),
      insert: (sql, args) =>
        write(
          args,
          [],
          () => on.insert(sql, args),
          (numbers) => numbers.length > 0,
        ),
      returning: <Row>(sql: Sql, args: readonly SqlValue[] = [], ...touches: readonly Touch[]) =>
        write(
          args,
          touches,
          () => on.all<Row>(sql, args),
          (rows) => rows.length > 0,
        ),
      numberEvents: async (count) => {
        hasNumbered = true;
        const hub = await statements.first<Hub & { before: number }>(NUMBER, [count, now, hubId]);
        assertVersion(hub);
        defer(store(ALL));
        return hub?.before ?? 0;
      },
      accessVersion: () => version,
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
    isPipelined: true,
    maxMs: MAX_MS,
    endsTransaction,
    savepoint: async (name) => {
      await store(ALL);
      unawaited(statements.exec(`SAVEPOINT ${name}`));
    },
    release: (name) => unawaited(statements.exec(`RELEASE ${name}`)),
    rollBackTo: async (name) => {
      unawaited(statements.exec(`ROLLBACK TO ${name}`));
      hasLocked = false;
      for (const gathered of Object.values(counts)) gathered.forget();
      await readVersion();
      await networkSeqs.read(statements);
    },
    finish: async () => {
      // Nobody can change it once this transaction has taken numbers of events from the same row.
      if (!hasNumbered) {
        defer(store(ALL));
        assertVersion(await statements.first<Hub>(LOCKED, []));
      }
      return version;
    },
    open,
    openLast: () => ({
      ...open(nothing(), true),
      run: async (sql, args = []) => {
        defer(statements.run(sql, args));
        return { changes: 0 }; // unknown until the end
      },
    }),
    ended: async () => void (await Promise.all(deferred)),
    version: () => version,
  };
}

type Hub = { access_version: number };

/** If it fails, so does the next statement, which waits for its result. */
function unawaited(statement: Promise<void>): void {
  statement.catch(() => {});
}

/** No other hub can change the access rights until the transaction ends. */
export const LOCKED = 'SELECT access_version FROM hub FOR UPDATE';
const ALL = ['inboxes', 'task_counts'];
const never = (): boolean => false;

/** The lock of the row is held until the commit, so the numbers are in the order of commits and have no gaps. */
const NUMBER = `UPDATE hub SET seq = seq + ?1, clock = greatest(clock, ?2)
  RETURNING seq - ?1 AS before, access_version, pg_notify('${EVENTS}', seq || ' ' || CAST(?3 AS text))`;

/** Other hubs wait for the locks of its networks meanwhile. */
const MAX_MS = 50;
