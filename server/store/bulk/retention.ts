// What is removed once it is old enough, and what keeps a row of any age. Rows are walked in the order of their making,
// a window at a time, from the first up to a window of which all are too young: nothing needs an index for this, and a
// few rows from a clock that was wrong hold up nothing.
import type { Millis } from '../../domain/time/clock.ts';
import type { Reader, Touch, Transaction } from '../engine/transaction.ts';

export type Kind = 'events' | 'messages' | 'unread_messages' | 'tasks' | 'completions' | 'nodes' | 'audit_entries';

type Rule = {
  table: string;
  sequence: string;
  /** When the row was made. */
  made: string;
  /** Whether a row may go, given the moment before which it must be over. */
  isOver: string;
  /** Rows looked at in one transaction, which then stays under 20 ms; with a task go its messages and events. */
  window: number;
  /** State that the deletion uses; see Touch. */
  touches?: readonly Touch[];
};

// Nobody reads the mail of `hub`, nor that of an alias without a session.
const HAS_NO_READER = `(m.alias = 'hub' OR NOT EXISTS (SELECT 1 FROM sessions s WHERE s.network_seq = m.network_seq AND s.alias = m.alias))`;
const PENDING = 'm.acked_at IS NULL AND m.withdrawn_at IS NULL';
const NOTHING_UNREAD = `NOT EXISTS (SELECT 1 FROM messages m WHERE m.task_seq = tasks.task_seq AND ${PENDING} AND NOT ${HAS_NO_READER})`;

const RULES: Readonly<Record<Kind, Rule>> = {
  events: { table: 'events', sequence: 'seq', made: 'created_at', isOver: 'created_at < ?', window: 2_000 },
  // The message of a task goes with the task, whose marks it holds.
  messages: {
    table: 'messages AS m',
    sequence: 'message_seq',
    made: 'created_at',
    isOver: "type <> 'task' AND acked_at < ?",
    window: 2_000,
    touches: ['inboxes'],
  },
  // What was said of a task goes with the task too.
  unread_messages: {
    table: 'messages AS m',
    sequence: 'message_seq',
    made: 'created_at',
    isOver: `m.created_at < ? AND m.task_seq IS NULL AND ${PENDING} AND ${HAS_NO_READER}`,
    window: 2_000,
    touches: ['inboxes'],
  },
  tasks: {
    table: 'tasks',
    sequence: 'task_seq',
    made: 'created_at',
    isOver: `completed_at < ? AND ${NOTHING_UNREAD}`,
    window: 100,
    touches: ['inboxes', 'task_counts'],
  },
  completions: {
    table: 'completions',
    sequence: 'completion_seq',
    made: 'completed_at',
    isOver: 'completed_at < ?',
    window: 2_000,
  },
  nodes: { table: 'nodes', sequence: 'node_seq', made: 'first_seen_at', isOver: 'last_seen_at < ?', window: 2_000 },
  audit_entries: {
    table: 'audit_log',
    sequence: 'entry_seq',
    made: 'created_at',
    isOver: 'created_at < ?',
    window: 2_000,
  },
};

/** A stretch of rows, some of them made before some moment; `next` is where to go on, undefined at the end. */
export type Window = { from: number; to: number; next: number | undefined };

/** The next rows after number `from`; undefined when none of them was made before `cutoff`. */
export async function findWindow(
  reader: Reader,
  kind: Kind,
  cutoff: Millis,
  from: number,
): Promise<Window | undefined> {
  const { table, sequence, made, window } = RULES[kind];
  const rows = await reader.all<{ number: number; made: Millis }>(
    `SELECT ${sequence} AS number, ${made} AS made FROM ${table} WHERE ${sequence} > ? ORDER BY ${sequence} LIMIT ${window}`,
    [from],
  );
  const last = rows.at(-1);
  if (last === undefined || rows.every(({ made }) => made >= cutoff)) return undefined;
  return { from, to: last.number, next: rows.length === window ? last.number : undefined };
}

/** Answers how many rows of the window went; what belongs to them goes uncounted. */
export async function removeOver(tx: Transaction, kind: Kind, cutoff: Millis, { from, to }: Window): Promise<number> {
  const { table, sequence, isOver, touches = [] } = RULES[kind];
  if (kind === 'events') await tx.run(FORGET_EVENTS, [from, to, cutoff]);
  const { changes } = await tx.run(
    `DELETE FROM ${table} WHERE ${sequence} > ? AND ${sequence} <= ? AND ${isOver}`,
    [from, to, cutoff],
    ...touches,
  );
  return changes;
}

const FORGET_EVENTS = `UPDATE hub SET events_after =
  max(events_after, coalesce((SELECT max(seq) FROM events WHERE seq > ? AND seq <= ? AND created_at < ?), 0))`;

/**
 * Moves of tasks whose stream events are too old to be replayed: how many events they are, and the number of the last.
 */
export type OldMoves = { events: number; last: number; next: number | undefined };

const MOVES_AT_ONCE = 2_000;

/**
 * Of the next moves after number `from`, or after all whose events were forgotten. The moves themselves stay with their
 * tasks.
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

/** How many rows of the window `removeOver` would take. */
export async function countOver(reader: Reader, kind: Kind, cutoff: Millis, { from, to }: Window): Promise<number> {
  const { table, sequence, isOver } = RULES[kind];
  const found = await reader.first<{ count: number }>(
    `SELECT count(*) AS count FROM ${table} WHERE ${sequence} > ? AND ${sequence} <= ? AND ${isOver}`,
    [from, to, cutoff],
  );
  return found?.count ?? 0;
}
