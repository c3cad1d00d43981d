// The retention rules: when a row is old enough to remove, and what keeps it longer. Rows are scanned in creation
// order, a few at a time, up to a long run of rows that are all too recent: this needs no index, and a few rows with a
// wrong time do not stop it.
import type { Millis } from '../../domain/time/clock.ts';
import { placeholders } from '../engine/placeholders.ts';
import { inEach } from '../engine/sql.ts';
import type { Reader, Touch, Transaction } from '../engine/transaction.ts';

export type Kind = 'events' | 'messages' | 'unread_messages' | 'tasks' | 'completions' | 'nodes' | 'audit_entries';

type Rule = {
  table: string;
  sequence: string;
  /** The column with the row's creation time. */
  created: string;
  /** Whether a row may be removed, given the cutoff before which it must have ended. */
  isExpired: string;
  /** After this many recent rows in a row, the scan ends. */
  recentRun: number;
  /** State that the deletion uses; see Touch. */
  touches?: readonly Touch[];
};

// The inbox of `hub`, and of an alias without a session, has no reader.
const HAS_NO_READER = `(m.alias = 'hub' OR NOT EXISTS (SELECT 1 FROM sessions s WHERE s.network_seq = m.network_seq AND s.alias = m.alias))`;
const PENDING = 'm.acked_at IS NULL AND m.withdrawn_at IS NULL';
const NOTHING_UNREAD = `NOT EXISTS (SELECT 1 FROM messages m WHERE m.task_seq = tasks.task_seq AND ${PENDING} AND NOT ${HAS_NO_READER})`;

const RULES: Readonly<Record<Kind, Rule>> = {
  events: { table: 'events', sequence: 'seq', created: 'created_at', isExpired: 'created_at < ?', recentRun: 2_000 },
  // The message of a task is removed with the task, because it holds its delivery marks.
  messages: {
    table: 'messages AS m',
    sequence: 'message_seq',
    created: 'created_at',
    isExpired: "type <> 'task' AND acked_at < ?",
    recentRun: 2_000,
    touches: ['inboxes'],
  },
  // Replies and cancellations of a task are removed with the task.
  unread_messages: {
    table: 'messages AS m',
    sequence: 'message_seq',
    created: 'created_at',
    isExpired: `m.created_at < ? AND m.task_seq IS NULL AND ${PENDING} AND ${HAS_NO_READER}`,
    recentRun: 2_000,
    touches: ['inboxes'],
  },
  tasks: {
    table: 'tasks',
    sequence: 'task_seq',
    created: 'created_at',
    isExpired: `completed_at < ? AND ${NOTHING_UNREAD}`,
    recentRun: 100,
    touches: ['inboxes', 'task_counts'],
  },
  completions: {
    table: 'completions',
    sequence: 'completion_seq',
    created: 'completed_at',
    isExpired: 'completed_at < ?',
    recentRun: 2_000,
  },
  nodes: {
    table: 'nodes',
    sequence: 'node_seq',
    created: 'first_seen_at',
    isExpired: 'last_seen_at < ?',
    recentRun: 2_000,
  },
  audit_entries: {
    table: 'audit_log',
    sequence: 'entry_seq',
    created: 'created_at',
    isExpired: 'created_at < ?',
    recentRun: 2_000,
  },
};

/** Where a scan continues: after this number. The last `recent` rows up to it were created after the cutoff. */
export type Place = { after: number; recent: number };

export const START: Place = { after: 0, recent: 0 };

/** The numbers of expired rows, and where to continue; undefined at the end. */
export type Expired = { numbers: number[]; next: Place | undefined };

/** Checks the next `limit` rows. */
export async function findExpired(
  reader: Reader,
  kind: Kind,
  cutoff: Millis,
  { after, recent }: Place,
  limit: number,
): Promise<Expired> {
  const { table, sequence, created, isExpired, recentRun } = RULES[kind];
  const rows = await reader.all<{ number: number; is_recent: number; is_expired: number | null }>(
    `SELECT ${sequence} AS number, ${created} >= ? AS is_recent, ${isExpired} AS is_expired FROM ${table}
     WHERE ${sequence} > ? ORDER BY ${sequence} LIMIT ?`,
    [cutoff, cutoff, after, limit],
  );
  const numbers = rows.filter(({ is_expired }) => is_expired === 1).map(({ number }) => number);
  const run = rows.reduce((length, { is_recent }) => (is_recent === 1 ? length + 1 : 0), recent);
  const last = rows.at(-1)?.number;
  const isEnd = last === undefined || rows.length < limit || run >= recentRun;
  return { numbers, next: isEnd ? undefined : { after: last, recent: run } };
}

/**
 * Removes the next of these rows, at most `limit`, if they are still expired. Returns how many were removed, and how
 * many numbers are finished: none if a task has more messages and events than the limit.
 */
export async function removeExpired(
  tx: Transaction,
  kind: Kind,
  cutoff: Millis,
  numbers: readonly number[],
  limit: number,
): Promise<{ removed: number; finished: number }> {
  const { table, sequence, isExpired, touches = [] } = RULES[kind];
  const next = numbers.slice(0, kind === 'tasks' ? 1 : limit);
  if (kind === 'events') await tx.run(FORGET_EVENTS, [Math.max(...next)]);
  if (kind === 'tasks' && !(await emptyTask(tx, next, cutoff, limit))) return { removed: 0, finished: 0 };
  const { changes } = await tx.run(
    `DELETE FROM ${table} WHERE ${sequence} IN (${placeholders(next)}) AND ${isExpired}`,
    [...next, cutoff],
    ...touches,
  );
  return { removed: changes, finished: next.length };
}

const FORGET_EVENTS = inEach(({ greatest }) => `UPDATE hub SET events_after = ${greatest('events_after', '?')}`);

const EXPIRED_TASK = `(SELECT task_seq FROM tasks WHERE task_seq = ?1 AND ${RULES.tasks.isExpired.replace('?', '?2')})`;
const REMOVE_TASK_EVENTS = `DELETE FROM task_events WHERE event_seq IN
  (SELECT event_seq FROM task_events WHERE task_seq = ${EXPIRED_TASK} ORDER BY event_seq LIMIT ?3)`;
const REMOVE_TASK_MESSAGES = `DELETE FROM messages WHERE message_seq IN
  (SELECT message_seq FROM messages WHERE task_seq = ${EXPIRED_TASK} AND attempt < (SELECT attempt FROM tasks WHERE task_seq = ?1) LIMIT ?3)`;

/**
 * Removes events and messages of a task, at most `limit` of each: there may be thousands, to which the deletion of the
 * task would cascade in one statement. Returns whether only a few are left, such as those of the current attempt.
 */
async function emptyTask(tx: Transaction, [taskSeq = 0]: readonly number[], cutoff: Millis, limit: number) {
  const args = [taskSeq, cutoff, limit];
  const events = await tx.run(REMOVE_TASK_EVENTS, args);
  if (events.changes === limit) return false;
  const messages = await tx.run(REMOVE_TASK_MESSAGES, args, 'inboxes');
  return messages.changes < limit;
}

/** Task transitions whose stream events are too old to replay: the number of events, and the last sequence number. */
export type OldMoves = { events: number; last: number; next: number | undefined };

/**
 * Finds them among the next `limit` transitions after number `from`, or after those already forgotten. The transitions
 * themselves remain with their tasks.
 */
export async function findOldMoves(
  reader: Reader,
  cutoff: Millis,
  from: number | undefined,
  limit: number,
): Promise<OldMoves> {
  const moves = await reader.all<{ seq: number; events: number; created_at: Millis }>(
    `SELECT event_seq AS seq, is_event + CASE WHEN alias IS NULL THEN 0 ELSE 1 END AS events, created_at FROM task_events
     WHERE event_seq > coalesce(?, (SELECT events_after FROM hub)) ORDER BY event_seq LIMIT ?`,
    [from ?? null, limit],
  );
  const young = moves.findIndex(({ events, created_at }) => events > 0 && created_at >= cutoff);
  const old = (young === -1 ? moves : moves.slice(0, young)).filter(({ events }) => events > 0);
  const isMore = young === -1 && moves.length === limit;
  return {
    events: old.reduce((sum, { events }) => sum + events, 0),
    last: old.at(-1)?.seq ?? 0,
    next: isMore ? moves.at(-1)?.seq : undefined,
  };
}

/** Marks the stream events up to this number as too old to replay. */
export async function forgetMoves(tx: Transaction, last: number): Promise<void> {
  await tx.run(FORGET_EVENTS, [last]);
}
