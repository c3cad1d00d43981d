// Inbox messages. One is pending until it is acknowledged or withdrawn; the database allows one live message per task.
import type { Millis } from '../domain/clock.ts';
import type { Mail } from '../domain/claude-code-hook.ts';
import type { Message, NewMessage } from '../domain/message.ts';
import type { Reader, Transaction } from './database.ts';
import * as newest from './newest.ts';
import type { Numbered, Slice, SlicePage } from './newest.ts';
import { placeholders, statementsFor } from './placeholders.ts';

const COLUMNS = [
  'id', 'network_id', 'alias', 'type', 'priority', 'content', 'context', 'from_session', 'task_id', 'attempt',
  'in_reply_to', 'status', 'created_at', 'acked_at', 'withdrawn_at',
] as const satisfies readonly (keyof Message)[];

const SELECTED = COLUMNS.join(', ');
const AT_FIRST = COLUMNS.filter((column) => column !== 'acked_at' && column !== 'withdrawn_at');
const INSERT = `INSERT INTO messages (${AT_FIRST.join(', ')}) VALUES (${placeholders(AT_FIRST)})`;
const insertsOf = statementsFor(`INSERT INTO messages (${AT_FIRST.join(', ')}) VALUES`, AT_FIRST.length);
const PENDING = 'acked_at IS NULL AND withdrawn_at IS NULL';

/** Stores a message at `tx.now`; answers it whole, and how many wait in the inbox with it. */
export async function insert(tx: Transaction, message: NewMessage): Promise<{ stored: Message; pending: number }> {
  const whole = wholeOf(tx, message);
  await tx.run(INSERT, AT_FIRST.map((column) => whole[column]));
  tx.count('stored', 1);
  tx.arrivals.add(whole.network_id, whole.alias);
  return { stored: whole, pending: tx.arrivals.pending(whole.network_id, whole.alias) };
}

function wholeOf({ now }: Transaction, message: NewMessage): Message {
  return {
    priority: 'normal', context: null, task_id: null, attempt: null, in_reply_to: null, status: null,
    ...message,
    created_at: now,
    acked_at: null,
    withdrawn_at: null,
  };
}

/** Stores many messages, each for another alias, in few statements. */
export async function insertAll(tx: Transaction, messages: readonly NewMessage[]): Promise<Message[]> {
  const whole = messages.map((message) => wholeOf(tx, message));
  for (const { sql, piece } of insertsOf(whole)) await tx.run(sql, piece.flatMap((message) => AT_FIRST.map((column) => message[column])));
  for (const { network_id, alias } of whole) tx.arrivals.add(network_id, alias);
  tx.count('stored', whole.length);
  return whole;
}

export type PendingMessage = Message & { fetched_at: Millis | null };

/** Pending messages of an alias, without the first `skipped`: high before normal before low, then by arrival. */
export function listPending(reader: Reader, networkId: string, alias: string, limit: number, skipped = 0): Promise<PendingMessage[]> {
  return reader.all(
    `SELECT ${SELECTED}, fetched_at FROM messages WHERE network_id = ? AND alias = ? AND ${PENDING}
     ORDER BY urgency, message_seq LIMIT ? OFFSET ?`,
    [networkId, alias, limit, skipped],
  );
}

const URGENCIES = [0, 1, 2];

/**
 * What an alias has not been given yet, of what came after number `after`: the most urgent first. A task whose time is up is
 * none, whether that was written down or not. Of an inbox of thousands only what came after is read, urgency by urgency.
 */
export async function listUnfetched(reader: Reader, networkId: string, alias: string, after: number, limit: number): Promise<Mail[]> {
  const found: Mail[] = [];
  for (const urgency of URGENCIES) {
    found.push(...await reader.all<Mail>(
      `SELECT message_seq AS seq, id, type, priority, from_session, task_id FROM messages m
       WHERE network_id = ? AND alias = ? AND ${PENDING} AND urgency = ? AND message_seq > ? AND fetched_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.task_id = m.task_id AND m.type = 'task' AND t.status = 'delivered' AND t.expires_at <= ?)
       ORDER BY message_seq LIMIT ?`,
      [networkId, alias, urgency, after, reader.now, limit - found.length],
    ));
  }
  return found;
}

/** The number of the message that came last to an alias; 0 before the first. */
export async function lastNumber(reader: Reader, networkId: string, alias: string): Promise<number> {
  const last = await reader.first<{ seq: number | null }>('SELECT max(message_seq) AS seq FROM messages WHERE network_id = ? AND alias = ?', [networkId, alias]);
  return last?.seq ?? 0;
}

export type MessageFilter = { alias?: string | undefined; from_session?: string | undefined; pending?: boolean | undefined };

/**
 * Every message, waiting or not, as far as the next `rows` of each network hold any; only those that wait, or only those that do
 * not, where `pending` says so.
 */
export function listSlice(reader: Reader, filter: MessageFilter, page: SlicePage): Promise<Slice<Numbered<Message>>> {
  const along = filter.alias === undefined ? undefined : ['alias = ?', filter.alias] as const;
  const where = [['from_session = ?', filter.from_session], ...waiting(filter.pending)] as const;
  return newest.listSlice(reader, { select: SELECTED, from: 'messages', table: 'messages', network: 'network_id', sequence: 'message_seq', along, where }, page, 'newest');
}

/** Spelt out on either side, so that the index of what waits is of use. */
function waiting(pending: boolean | undefined): (readonly [string, number])[] {
  return pending === undefined ? [] : [[`${pending ? PENDING : `NOT (${PENDING})`} AND 1 = ?`, 1]];
}

/** What was said of a task's latest attempts, the latest first: replies, and words to stop. */
export function listOfTask(reader: Reader, taskId: string, limit: number, skipped = 0): Promise<Message[]> {
  return reader.all(
    `SELECT ${SELECTED} FROM messages WHERE task_id = ? AND type <> 'task' ORDER BY attempt DESC LIMIT ? OFFSET ?`,
    [taskId, limit, skipped],
  );
}

/** A message of this alias: the live attempt of the task with this id, else the message with this id. */
export function findInInbox(reader: Reader, networkId: string, alias: string, id: string): Promise<Message | undefined> {
  return reader.first(
    `SELECT ${SELECTED}, 0 AS rank FROM messages
       WHERE network_id = ?1 AND alias = ?2 AND task_id = ?3 AND type = 'task' AND withdrawn_at IS NULL
     UNION ALL SELECT ${SELECTED}, 1 AS rank FROM messages WHERE network_id = ?1 AND alias = ?2 AND id = ?3 ORDER BY rank LIMIT 1`,
    [networkId, alias, id],
  );
}

export function findById(reader: Reader, networkId: string, id: string): Promise<Message | undefined> {
  return reader.first(`SELECT ${SELECTED} FROM messages WHERE network_id = ? AND id = ?`, [networkId, id]);
}

/** Whether this alias was given an earlier attempt of the task. */
export async function wasAssigned(reader: Reader, taskId: string, alias: string): Promise<boolean> {
  const attempt = await reader.first("SELECT 1 FROM messages WHERE task_id = ? AND type = 'task' AND alias = ? LIMIT 1", [taskId, alias]);
  return attempt !== undefined;
}

export async function markAcknowledged(tx: Transaction, id: string, response: string | null): Promise<void> {
  const { changes } = await tx.run('UPDATE messages SET acked_at = ?, response = ? WHERE id = ? AND acked_at IS NULL', [tx.now, response, id]);
  tx.count('acknowledged', changes);
}

export async function markFetched(tx: Transaction, ids: readonly string[]): Promise<void> {
  const { changes } = await tx.run(`UPDATE messages SET fetched_at = ? WHERE id IN (${placeholders(ids)}) AND fetched_at IS NULL`, [tx.now, ...ids]);
  tx.count('fetched', changes);
}

export async function markNotified(tx: Transaction, pushes: readonly (readonly [id: string, at: Millis])[]): Promise<void> {
  const { changes } = await tx.run(
    `WITH pushed (id, at) AS (VALUES ${pushes.map(() => '(?, ?)').join(', ')}) UPDATE messages SET notified_at = pushed.at FROM pushed
     WHERE messages.id = pushed.id AND messages.notified_at IS NULL`,
    pushes.flat(),
  );
  tx.count('pushed', changes);
}

/** The task's live message leaves the inbox: its attempt ended. */
export function withdrawAttempt(tx: Transaction, taskId: string): Promise<{ changes: number }> {
  return tx.run("UPDATE messages SET withdrawn_at = ? WHERE task_id = ? AND type = 'task' AND withdrawn_at IS NULL", [tx.now, taskId]);
}

export async function withdrawAttempts(tx: Transaction, taskIds: readonly string[]): Promise<void> {
  await tx.run(
    `UPDATE messages SET withdrawn_at = ? WHERE task_id IN (${placeholders(taskIds)}) AND type = 'task' AND withdrawn_at IS NULL`,
    [tx.now, ...taskIds],
  );
}

type Rename = { network_id: string; from: string; to: string };

/**
 * What waits for an alias follows when its session takes a new one, and so does every attempt it was ever given: a former
 * assignee stays one under its new name. Looks at `limit` messages behind number `after`, and returns the last of them, or
 * undefined at the end.
 */
export async function readdress(tx: Transaction, { network_id, from, to }: Rename, after: number, limit: number): Promise<number | undefined> {
  const looked = await tx.all<{ seq: number }>(
    'SELECT message_seq AS seq FROM messages WHERE network_id = ? AND alias = ? AND message_seq > ? ORDER BY message_seq LIMIT ?',
    [network_id, from, after, limit],
  );
  const last = looked.at(-1)?.seq;
  if (last === undefined) return undefined;
  await tx.run(
    `UPDATE messages SET alias = ? WHERE network_id = ? AND alias = ? AND message_seq > ? AND message_seq <= ?
       AND (type = 'task' OR (${PENDING}))`,
    [to, network_id, from, after, last],
  );
  return looked.length < limit ? undefined : last;
}

/** The same for the attempts of tasks that it has now. */
export async function readdressAttempts(tx: Transaction, { from, to }: Rename, taskIds: readonly string[]): Promise<void> {
  await tx.run(`UPDATE messages SET alias = ? WHERE task_id IN (${placeholders(taskIds)}) AND type = 'task' AND alias = ?`, [to, ...taskIds, from]);
}

/** Who holds a live task of this sender is told the name that the task has it under. */
export async function renameSender(tx: Transaction, { to }: Rename, taskIds: readonly string[]): Promise<void> {
  await tx.run(
    `UPDATE messages SET from_session = ? WHERE task_id IN (${placeholders(taskIds)}) AND type = 'task' AND withdrawn_at IS NULL`, [to, ...taskIds],
  );
}
