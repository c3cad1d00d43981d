// The retention rules: when a row is old enough to remove, and what keeps it longer. Rows are scanned in creation
// order, one window at a time, up to a window in which all are too recent: this needs no index, and a few rows with a
// wrong time do not stop it.
import type { Millis } from '../../domain/time/clock.ts';
import type { Reader, Touch, Transaction } from '../engine/transaction.ts';

export type Kind = 'events' | 'messages' | 'unread_messages' | 'tasks' | 'completions' | 'nodes' | 'audit_entries';

type Rule = {
  table: string;
  sequence: string;
  /** The column with the row's creation time. */
  created: string;
  /** Whether a row may be removed, given the cutoff before which it must have ended. */
  isExpired: string;
  /** Rows checked per transaction, which keeps it under 20 ms; removing a task also removes its messages and events. */
  window: number;
  /** State that the deletion uses; see Touch. */
  touches?: readonly Touch[];
};

// The inbox of `hub`, and of an alias without a session, has no reader.
const HAS_NO_READER = `(m.alias = 'hub' OR NOT EXISTS (SELECT 1 FROM sessions s WHERE s.network_seq = m.network_seq AND s.alias = m.alias))`;
const PENDING = 'm.acked_at IS NULL AND m.withdrawn_at IS NULL';
const NOTHING_UNREAD = `NOT EXISTS (SELECT 1 FROM messages m WHERE m.task_seq = tasks.task_seq AND ${PENDING} AND NOT ${HAS_NO_READER})`;

const RULES: Readonly<Record<Kind, Rule>> = {
  events: { table: 'events', sequence: 'seq', created: 'created_at', isExpired: 'created_at < ?', window: 2_000 },
  // The message of a task is removed with the task, because it holds its delivery marks.
  messages: {
    table: 'messages AS m',
    sequence: 'message_seq',
    created: 'created_at',
    isExpired: "type <> 'task' AND acked_at < ?",
    window: 2_000,
    touches: ['inboxes'],
  },
  // Replies and cancellations of a task are removed with the task.
  unread_messages: {
    table: 'messages AS m',
    sequence: 'message_seq',
    created: 'created_at',
    isExpired: `m.created_at < ? AND m.task_seq IS NULL AND ${PENDING} AND ${HAS_NO_READER}`,
    window: 2_000,
    touches: ['inboxes'],
  },
  tasks: {
    table: 'tasks',
    sequence: 'task_seq',
    created: 'created_at',
    isExpired: `completed_at < ? AND ${NOTHING_UNREAD}`,
    window: 100,
    touches: ['inboxes', 'task_counts'],
  },
  completions: {
    table: 'completions',
    sequence: 'completion_seq',
    created: 'completed_at',
    isExpired: 'completed_at < ?',
    window: 2_000,
  },
  nodes: {
    table: 'nodes',
    sequence: 'node_seq',
    created: 'first_seen_at',
    isExpired: 'last_seen_at < ?',
    window: 2_000,
  },
  audit_entries: {
    table: 'audit_log',
    sequence: 'entry_seq',
    created: 'created_at',
    isExpired: 'created_at < ?',
    window: 2_000,
  },
};

/** A range of rows, some of them created before the cutoff; `next` is where to continue, undefined at the end. */
export type Window = { from: number; to: number; next: number | undefined };

/** Finds the next rows after number `from`; undefined if none of them was created before `cutoff`. */
export async function findWindow(
  reader: Reader,
  kind: Kind,
  cutoff: Millis,
  from: number,
): Promise<Window | undefined> {
  const { table, sequence, created, window } = RULES[kind];
  const rows = await reader.all<{ number: number; created: Millis }>(
    `SELECT ${sequence} AS number, ${created} AS created FROM ${table} WHERE ${sequence} > ? ORDER BY ${sequence} LIMIT ${window}`,
    [from],
  );
  const last = rows.at(-1);
  if (last === undefined || rows.every(({ created }) => created >= cutoff)) return undefined;
  return { from, to: last.number, next: rows.length === window ? last.number : undefined };
}

/** Removes rows of the window. Returns their number, without dependent rows. */
export async function removeExpired(
  tx: Transaction,
  kind: Kind,
  cutoff: Millis,
  { from, to }: Window,
): Promise<number> {
  const { table, sequence, isExpired, touches = [] } = RULES[kind];
  if (kind === 'events') await tx.run(FORGET_EVENTS, [from, to, cutoff]);
  const { changes } = await tx.run(
    `DELETE FROM ${table} WHERE ${sequence} > ? AND ${sequence} <= ? AND ${isExpired}`,
    [from, to, cutoff],
    ...touches,
  );
  return changes;
}

const FORGET_EVENTS = `UPDATE hub SET events_after =
  max(events_after, coalesce((SELECT max(seq) FROM events WHERE seq > ? AND seq <= ? AND created_at < ?), 0))`;

/** Task transitions whose stream events are too old to replay: the number of events, and the last sequence number. */
export type OldMoves = { events: number; last: number; next: number | undefined };

const MOVES_AT_ONCE = 2_000;

/**
 * Finds them among the next transitions after number `from`, or after those already forgotten. The transitions
 * themselves remain with their tasks.
 */
export async function findOldMoves(reader: Reader, cutoff: Millis, from: number | undefined): Promise<OldMoves> {
  const moves = await reader.all<{ seq: number; events: number; created_at: Millis }>(
    `SELECT event_seq AS seq, is_event + (alias IS NOT NULL) AS events, created_at FROM task_events
     WHERE event_seq > coalesce(?, (SELECT events_after FROM hub)) ORDER BY event_seq LIMIT ${MOVES_AT_ONCE}`,
    [from ?? null],
  );
  const young = moves.findIndex(({ events, created_at }) => events > 0 && created_at >= cutoff);
  const old = (young === -1 ? moves : moves.slice(0, young)).filter(({ events }) => events > 0);
  const isMore = young === -1 && moves.length === MOVES_AT_ONCE;
  return {
    events: old.reduce((sum, { events }) => sum + events, 0),
    last: old.at(-1)?.seq ?? 0,
    next: isMore ? moves.at(-1)?.seq : undefined,
  };
}

export async function forgetMoves(tx: Transaction, { last }: OldMoves): Promise<void> {
  await tx.run('UPDATE hub SET events_after = max(events_after, ?)', [last]);
}

/** Counts the rows of the window that `removeExpired` would remove. */
export async function countExpired(reader: Reader, kind: Kind, cutoff: Millis, { from, to }: Window): Promise<number> {
  const { table, sequence, isExpired } = RULES[kind];
  const found = await reader.first<{ count: number }>(
    `SELECT count(*) AS count FROM ${table} WHERE ${sequence} > ? AND ${sequence} <= ? AND ${isExpired}`,
    [from, to, cutoff],
  );
  return found?.count ?? 0;
}
