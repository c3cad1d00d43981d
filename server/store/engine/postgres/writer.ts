// The connection that writes: transactions, their locks, and what became of a commit whose answer was lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Millis } from '../../../domain/time/clock.ts';
import type { Group } from '../group.ts';
import { AGAIN_AFTER_MS } from '../obstacle.ts';
import type { Usage } from '../usage.ts';
import type { Connection } from './connection/connection.ts';
import { isLost, RightsChanged, StillOpening } from './connection/errors.ts';
import type { Statements } from './connection/statements.ts';
import type { KnownNetworks } from './networks.ts';
import { groupOn, LOCKED, type PipelinedGroup } from './transaction.ts';

/**
 * A hub that stops within a transaction holds up the others only this long. That does not count while the server waits
 * for the rest of a statement, as when the network breaks between its packets, so the server also checks whether the
 * hub is still there.
 */
export const WRITER = [
  '-c idle_in_transaction_session_timeout=1000',
  '-c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=2 -c tcp_user_timeout=3000',
].join(' ');

export type Writer = {
  /** Runs `work` in a transaction that no other write to these networks overlaps, and commits it. */
  transaction<T>(networkIds: readonly string[], usage: Usage, work: (group: Group) => Promise<T>): Promise<T>;
};

type WriterOptions = {
  hubId: string;
  networks: KnownNetworks;
  now: () => Millis;
};

export function openWriter(connection: Connection, { hubId, networks, now }: WriterOptions): Writer {
  let commits = 0;
  /** When other hubs last changed the access rights during a transaction. */
  let collidedAt = -Infinity;
  const begin = async (statements: Statements, networkIds: readonly string[]): Promise<Begun> => {
    const [, , begun] = await Promise.all([
      statements.exec('BEGIN'),
      networkIds.length === 0 ? statements.all(LOCK_ALL, []) : statements.all(LOCK_SOME, [JSON.stringify(networkIds)]),
      statements.first<Begun>(BEGUN, []),
    ]);
    if (begun === undefined) throw new Error('the server gave no transaction id');
    return begun;
  };
  /** If the connection is lost meanwhile, only the server knows whether the commit stands. */
  const commit = async (statements: Statements, { xid }: Begun, group: PipelinedGroup): Promise<void> => {
    commits += 1;
    const marked = statements.run(MARK, [hubId, commits]);
    marked.catch(() => {}); // as below
    try {
      await statements.exec('COMMIT');
    } catch (error) {
      if (!isLost(error)) throw error;
      connection.drop();
      if (await hasCommitted(xid)) return;
      throw error;
    }
    // If a statement has failed, the commit was a rollback.
    await group.ended();
    await marked;
  };
  /** Asks until the server answers: nothing else may be written before it is known. */
  const hasCommitted = async (xid: string): Promise<boolean> => {
    for (;;) {
      try {
        const found = await (await connection.statements()).first<Fate>(FATE, [xid, hubId]);
        if (found?.status !== 'in progress') return found?.status === 'committed' && isLast(found);
      } catch (error) {
        if (isOfFuture(error)) return false;
        if (!isLost(error)) throw error;
        if (!(error instanceof StillOpening)) connection.drop();
      }
      await sleep(AGAIN_AFTER_MS);
    }
  };
  /** The others remove the number of a hub that was frozen for minutes. */
  const isLast = ({ number }: Fate): boolean => number === null || number === commits;
  const follow = async (statements: Statements, version = VERSION): Promise<void> => {
    const hub = await statements.first<{ access_version: number }>(version, []);
    await networks.follow(statements, hub?.access_version ?? 0);
  };
  return {
    transaction: async (networkIds, usage, work) => {
      const statements = await connection.statements();
      // Nothing waits for the locks: the statements of the group are sent behind them, and the rights are checked last.
      const begun = begin(statements, networkIds);
      begun.catch(() => {});
      try {
        // Of rights that are changed all the time, none would otherwise be those that a transaction has begun with.
        if (performance.now() - collidedAt < CAREFUL_MS) await follow(statements, LOCKED);
        const group = groupOn(statements, { hubId, now: now(), usage, accessVersion: networks.version(), networks });
        const result = await work(group);
        await commit(statements, await begun, group);
        // The commit stands. If this fails, the next group finds other rights than it expects, and follows them.
        if (group.version() > networks.version()) await follow(statements).catch(connection.drop);
        return result;
      } catch (error) {
        const cause = await begun.then(
          () => error,
          (first: unknown) => first, // all others follow from it
        );
        if (isLost(cause)) connection.drop();
        else await statements.exec('ROLLBACK').catch(connection.drop);
        if (cause instanceof RightsChanged) {
          collidedAt = performance.now();
          await follow(statements);
        }
        throw cause;
      }
    },
  };
}

/** Before the first transaction of a hub: without its number, that of another one could be taken for its own. */
export async function markStart(statements: Statements, hubId: string): Promise<void> {
  await statements.run(MARK, [hubId, 0]);
}

/** Once the hub writes no more. */
export async function unmark(statements: Statements, hubId: string): Promise<void> {
  await statements.run('DELETE FROM commits WHERE hub_id = ?', [hubId]);
}

/** In every transaction, as its last statement: the number of those of this hub. */
const MARK = `INSERT INTO commits (hub_id, number) VALUES (?, ?)
  ON CONFLICT (hub_id) DO UPDATE SET number = excluded.number`;

/** `status` is null once the server has forgotten it, and `number` if the row was removed. */
type Fate = { status: string | null; number: number | null };

/**
 * The id alone proves nothing: a server that was killed, or a standby that took its place, gives an id again if nothing
 * of its first transaction was on the disk.
 */
const FATE = `SELECT pg_xact_status(CAST(?1 AS xid8)) AS status,
  (SELECT number FROM commits WHERE hub_id = ?2) AS number`;

/** Nothing of the transaction was on the disk of the server when it was killed, and no later one has its id yet. */
function isOfFuture(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === INVALID_PARAMETER;
}

const INVALID_PARAMETER = '22023';

/** For how long transactions then lock the access rights at their beginning. */
const CAREFUL_MS = 1_000;

const VERSION = 'SELECT access_version FROM hub';

type Begun = { xid: string };

const BEGUN = 'SELECT pg_current_xact_id()::text AS xid';

/** Writes of one network run one after the other; those of no network, which may touch any, run alone. */
const LOCK_ALL = 'SELECT pg_advisory_xact_lock(0)';
/** In the order of their keys, so that two hubs cannot wait for each other. */
const LOCK_SOME = `SELECT pg_advisory_xact_lock_shared(0) UNION ALL
  SELECT pg_advisory_xact_lock(key) FROM (SELECT DISTINCT hashtextextended(id, 0) AS key
    FROM jsonb_array_elements_text(?::jsonb) id ORDER BY 1) keys`;
