// Stores deliveries: the queue of requests to notifiers, and their log.
import { DELIVERIES_KEPT_DAYS, MAX_DELIVERIES_KEPT } from '../../domain/limits.ts';
import type { Counts, Delivery, DeliveryStatus, Outcome } from '../../domain/notifiers/notifier.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { DAY_MS } from '../../domain/time/time.ts';
import type { Reader, Transaction } from '../engine/transaction.ts';
import { listNewest, type Page } from '../lists/newest.ts';

type Row = Omit<Delivery, 'need' | 'counts' | 'is_test'> & { need: string; counts: string | null; is_test: 0 | 1 };

const SELECTED =
  'delivery_seq, delivery_id, need, counts, is_test, status, attempts, due_at, response_status, problem, created_at, ended_at';

function deliveryOf({ need, counts, is_test, ...row }: Row): Delivery {
  return {
    ...row,
    need: JSON.parse(need),
    counts: counts === null ? null : JSON.parse(counts),
    is_test: is_test === 1,
  };
}

export async function list(reader: Reader, notifierSeq: number, page: Page): Promise<(Delivery & { seq: number })[]> {
  const found = await listNewest<Row>(
    reader,
    {
      select: SELECTED,
      from: 'deliveries',
      network: undefined,
      sequence: 'delivery_seq',
      where: [['notifier_seq = ?', notifierSeq]],
    },
    page,
  );
  return found.map(({ seq, ...row }) => ({ ...deliveryOf(row), seq }));
}

export type NewDelivery = Pick<Delivery, 'delivery_id' | 'need' | 'counts'> & { due_at: Millis };

const INSERT =
  'INSERT INTO deliveries (notifier_seq, created_at, delivery_id, need, counts, due_at, is_test, status, attempts)';

/** Adds deliveries to the queue of a notifier. */
export async function insert(tx: Transaction, notifierSeq: number, added: readonly NewDelivery[]): Promise<void> {
  const rows = added.map(({ delivery_id, need, counts, due_at }) => [
    delivery_id,
    JSON.stringify(need),
    counts === null ? null : JSON.stringify(counts),
    due_at,
  ]);
  await tx.run(
    {
      libsql: `${INSERT} SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, 0, 'pending', 0 FROM json_each(?)`,
      postgres: `${INSERT} SELECT CAST(? AS bigint), CAST(? AS bigint), j ->> 0, j ->> 1, j ->> 2, (j ->> 3)::bigint, 0, 'pending', 0
        FROM jsonb_array_elements(?::jsonb) j`,
    },
    [notifierSeq, tx.now, JSON.stringify(rows)],
  );
  await forgetOldest(tx, notifierSeq);
  await setDue(tx, notifierSeq);
}

/** Stores a test, which has already ended. */
export async function insertTest(
  tx: Transaction,
  test: Pick<Delivery, 'delivery_id' | 'need'> & { notifier_seq: number },
  { status, problem }: Outcome,
): Promise<void> {
  await tx.run(
    `INSERT INTO deliveries (delivery_id, notifier_seq, need, is_test, status, attempts, response_status, problem, created_at, ended_at)
     VALUES (?, ?, ?, 1, ?, 1, ?, ?, ?, ?)`,
    [
      test.delivery_id,
      test.notifier_seq,
      JSON.stringify(test.need),
      problem === null ? 'delivered' : 'failed',
      status,
      problem,
      tx.now,
      tx.now,
    ],
  );
  await forgetOldest(tx, test.notifier_seq);
}

/** The log of a notifier is short, so that a notifier can be removed at once. */
async function forgetOldest(tx: Transaction, notifierSeq: number): Promise<void> {
  await tx.run(
    `DELETE FROM deliveries WHERE notifier_seq = ?1 AND due_at IS NULL AND delivery_seq <= (
       SELECT delivery_seq FROM deliveries WHERE notifier_seq = ?1 ORDER BY delivery_seq DESC LIMIT 1 OFFSET ?2)`,
    [notifierSeq, MAX_DELIVERIES_KEPT],
  );
}

/** The summary that a notifier has not started to send, of which there is at most one. */
export async function findSummary(
  reader: Reader,
  notifierSeq: number,
): Promise<{ delivery_seq: number; counts: Counts } | undefined> {
  const found = await reader.first<{ delivery_seq: number; counts: string }>(
    'SELECT delivery_seq, counts FROM deliveries WHERE notifier_seq = ? AND counts IS NOT NULL AND due_at IS NOT NULL AND attempts = 0',
    [notifierSeq],
  );
  return found && { ...found, counts: JSON.parse(found.counts) };
}

export async function markCounts(tx: Transaction, deliverySeq: number, counts: Counts): Promise<void> {
  await tx.run('UPDATE deliveries SET counts = ? WHERE delivery_seq = ?', [JSON.stringify(counts), deliverySeq]);
}

/** When the newest deliveries were created, newest first. */
export async function listCreatedAt(reader: Reader, notifierSeq: number, limit: number): Promise<Millis[]> {
  const found = await reader.all<{ created_at: Millis }>(
    'SELECT created_at FROM deliveries WHERE notifier_seq = ? AND is_test = 0 ORDER BY delivery_seq DESC LIMIT ?',
    [notifierSeq, limit],
  );
  return found.map(({ created_at }) => created_at);
}

/** When the next attempt of a failed delivery is due; undefined if there is none. */
export async function findRetryAt(reader: Reader, notifierSeq: number): Promise<Millis | undefined> {
  const found = await reader.first<{ due_at: Millis }>(
    'SELECT due_at FROM deliveries WHERE notifier_seq = ? AND due_at IS NOT NULL AND attempts > 0 LIMIT 1',
    [notifierSeq],
  );
  return found?.due_at;
}

/** The pending delivery that has been due for longest. */
export async function findDue(reader: Reader, notifierSeq: number): Promise<Delivery | undefined> {
  const row = await reader.first<Row>(
    `SELECT ${SELECTED} FROM deliveries WHERE notifier_seq = ? AND due_at <= ? ORDER BY due_at, delivery_seq LIMIT 1`,
    [notifierSeq, reader.now],
  );
  return row && deliveryOf(row);
}

/** Moves a pending delivery to a later time. */
export async function postpone(
  tx: Transaction,
  notifierSeq: number,
  { delivery_seq }: Pick<Delivery, 'delivery_seq'>,
  due: Millis,
): Promise<void> {
  await tx.run('UPDATE deliveries SET due_at = ? WHERE delivery_seq = ?', [due, delivery_seq]);
  await setDue(tx, notifierSeq);
}

/** Counts an attempt before it starts: a summary that is being sent takes no more needs. */
export async function markStarted(tx: Transaction, { delivery_seq }: Pick<Delivery, 'delivery_seq'>): Promise<void> {
  await tx.run('UPDATE deliveries SET attempts = attempts + 1 WHERE delivery_seq = ?', [delivery_seq]);
}

/** Stores how an attempt ended. The delivery remains pending if `due` is given, the time of the next attempt. */
export async function markOutcome(
  tx: Transaction,
  notifierSeq: number,
  { delivery_seq }: Pick<Delivery, 'delivery_seq'>,
  { status, problem }: Outcome,
  due: Millis | null,
): Promise<void> {
  const now: DeliveryStatus = problem === null ? 'delivered' : due === null ? 'failed' : 'pending';
  await tx.run(
    'UPDATE deliveries SET status = ?, response_status = ?, problem = ?, due_at = ?, ended_at = ? WHERE delivery_seq = ?',
    [now, status, problem, due, due === null ? tx.now : null, delivery_seq],
  );
  await setDue(tx, notifierSeq);
}

/** Sends nothing to the receiver until then. */
export async function pause(tx: Transaction, notifierSeq: number, until: Millis): Promise<void> {
  await tx.run('UPDATE deliveries SET due_at = ?1 WHERE notifier_seq = ?2 AND due_at < ?1', [until, notifierSeq]);
  await setDue(tx, notifierSeq);
}

async function setDue(tx: Transaction, notifierSeq: number): Promise<void> {
  await tx.run(
    `UPDATE notifiers SET due_at = (SELECT d.due_at FROM deliveries d WHERE d.notifier_seq = ?1 AND d.due_at IS NOT NULL ORDER BY d.due_at LIMIT 1)
     WHERE notifier_seq = ?1`,
    [notifierSeq],
  );
}

export type DueNotifier = { notifier_seq: number; notifier_id: string; user_id: string };

/** The moment at which the oldest request of an enabled notifier was or will be due. */
export async function findOldestDue(reader: Reader): Promise<Millis | undefined> {
  const oldest = await reader.first<{ due_at: Millis | null }>(
    'SELECT min(due_at) AS due_at FROM notifiers WHERE due_at IS NOT NULL AND enabled = 1',
  );
  return oldest?.due_at ?? undefined;
}

type UserPage = { after: string; limit: number; each: number };

/**
 * Lists the enabled notifiers with a due delivery for the next `limit` users after a user: at most `each` per user,
 * those that have waited longest first. `last` is the last of these users, or undefined if no users are left.
 */
export async function listDue(
  reader: Reader,
  { after, limit, each }: UserPage,
): Promise<{ due: DueNotifier[]; last: string | undefined }> {
  const due: DueNotifier[] = [];
  let last: string | undefined = after;
  for (let number = 0; number < limit; number++) {
    last = await findNextUser(reader, last);
    if (last === undefined) break;
    due.push(
      ...(await reader.all<DueNotifier>(
        `SELECT notifier_seq, notifier_id, user_id FROM notifiers
         WHERE user_id = ? AND due_at <= ? AND enabled = 1 ORDER BY due_at LIMIT ?`,
        [last, reader.now, each],
      )),
    );
  }
  return { due, last };
}

async function findNextUser(reader: Reader, after: string): Promise<string | undefined> {
  const next = await reader.first<{ user_id: string | null }>(
    'SELECT min(user_id) AS user_id FROM notifiers WHERE due_at IS NOT NULL AND user_id > ?',
    [after],
  );
  return next?.user_id ?? undefined;
}

/** Removes old entries of the log; pending ones are tried or superseded long before. Returns how many. */
export async function removeOld(tx: Transaction, limit: number): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM deliveries WHERE created_at < ? AND delivery_seq IN (
       SELECT delivery_seq FROM deliveries WHERE delivery_seq > 0 ORDER BY delivery_seq LIMIT ?)`,
    [tx.now - DELIVERIES_KEPT_DAYS * DAY_MS, limit],
  );
  return changes;
}
