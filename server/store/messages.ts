// Stores inbox messages. A message is pending until it is acknowledged or withdrawn; the database allows one live
// message per task. A message of type `task` is an attempt and takes its texts from the task; a broadcast message takes
// its text from the broadcast.
import type { Mail } from '../domain/hooks/mention.ts';
import type { Message, MessageType, NewMessage } from '../domain/message.ts';
import type { Millis } from '../domain/time/clock.ts';
import { networkIdOf } from './engine/network-seqs.ts';
import { placeholders, statementsFor } from './engine/placeholders.ts';
import { inEach } from './engine/sql.ts';
import type { Reader, SqlValue, Transaction } from './engine/transaction.ts';
import { containing } from './lists/containing.ts';
import type { Condition, Numbered, Slice, SlicePage } from './lists/newest.ts';
import * as newest from './lists/newest.ts';

export const SELECTED = `m.message_seq, coalesce(m.id, t.task_id) AS id, ${networkIdOf('m')}, m.alias, m.type, m.priority,
  coalesce(m.content, b.content, t.content) AS content, CASE m.type WHEN 'task' THEN t.context END AS context,
  coalesce(m.from_session, t.from_name) AS from_session, t.task_id AS task_id, m.attempt, m.in_reply_to, m.status,
  m.created_at, m.acked_at, m.withdrawn_at`;
export const SOURCE = `messages m LEFT JOIN tasks t ON t.task_seq = m.task_seq LEFT JOIN broadcasts b ON b.broadcast_seq = m.broadcast_seq`;
export const PENDING = 'm.acked_at IS NULL AND m.withdrawn_at IS NULL';
export const DONE = '(m.acked_at IS NOT NULL OR m.withdrawn_at IS NOT NULL)';

const STORED = [
  'id',
  'network_seq',
  'alias',
  'type',
  'priority',
  'content',
  'from_session',
  'task_seq',
  'attempt',
  'broadcast_seq',
  'in_reply_to',
  'status',
  'created_at',
] as const;
const INSERT = `INSERT INTO messages (${STORED.join(', ')}) VALUES (${placeholders(STORED)})`;
const insertsOf = statementsFor(`INSERT INTO messages (${STORED.join(', ')}) VALUES`, STORED.length);

/** Stores a message at `tx.now`. Returns the complete message and the number of pending messages including it. */
export async function insert(tx: Transaction, message: NewMessage): Promise<{ stored: Message; pending: number }> {
  const [message_seq = 0] = await tx.insert(INSERT, rowOf(tx, message));
  tx.count('stored', 1);
  tx.arrivals.add(message.network_id, message.alias);
  const pending = await tx.arrivals.pending(message.network_id, message.alias);
  return { stored: wholeOf(tx, message, message_seq), pending };
}

/** Copies nothing that its task or broadcast already stores. */
function rowOf({ now, networkSeq }: Transaction, message: NewMessage): SqlValue[] {
  const { id, type, task_id, task_seq = null, attempt = null, broadcast_seq = null } = message;
  const isTask = type === 'task';
  return [
    isTask && id === task_id ? null : id,
    networkSeq(message.network_id),
    message.alias,
    type,
    message.priority ?? 'normal',
    isTask || broadcast_seq !== null ? null : message.content,
    isTask ? null : message.from_session,
    task_seq,
    attempt,
    broadcast_seq,
    message.in_reply_to ?? null,
    message.status ?? null,
    now,
  ];
}

function wholeOf(
  { now }: Transaction,
  { task_seq: _task, broadcast_seq: _broadcast, ...message }: NewMessage,
  message_seq: number,
): Message {
  return {
    priority: 'normal',
    context: null,
    task_id: null,
    attempt: null,
    in_reply_to: null,
    status: null,
    ...message,
    message_seq,
    created_at: now,
    acked_at: null,
    withdrawn_at: null,
  };
}

/** Stores many messages, each for a different alias, in few statements. */
export async function insertAll(tx: Transaction, messages: readonly NewMessage[]): Promise<Message[]> {
  const stored: Message[] = [];
  for (const { sql, piece } of insertsOf(messages)) {
    const numbers = await tx.insert(
      sql,
      piece.flatMap((message) => rowOf(tx, message)),
    );
    stored.push(...piece.map((message, index) => wholeOf(tx, message, numbers[index] ?? 0)));
  }
  for (const { network_id, alias } of messages) tx.arrivals.add(network_id, alias);
  tx.count('stored', messages.length);
  return stored;
}

export type PendingMessage = Message & { fetched_at: Millis | null };

/** Lists the pending messages of an alias after the first `skipped`: high before normal before low, then by arrival. */
export function listPending(
  reader: Reader,
  networkId: string,
  alias: string,
  limit: number,
  skipped = 0,
): Promise<PendingMessage[]> {
  return reader.all(
    `SELECT ${SELECTED}, m.fetched_at FROM ${SOURCE} WHERE m.network_seq = ? AND m.alias = ? AND ${PENDING}
     ORDER BY m.urgency, m.message_seq LIMIT ? OFFSET ?`,
    [reader.networkSeq(networkId), alias, limit, skipped],
  );
}

const URGENCIES = [0, 1, 2];

/**
 * Lists messages after number `after` that the alias has not fetched, most urgent first. Tasks past their expiry are
 * left out, whether marked expired or not. Reads only messages after that number, one priority at a time, even in an
 * inbox of thousands.
 */
export async function listUnfetched(
  reader: Reader,
  networkId: string,
  alias: string,
  after: number,
  limit: number,
): Promise<Mail[]> {
  const found: Mail[] = [];
  for (const urgency of URGENCIES) {
    found.push(
      ...(await reader.all<Mail>(
        `SELECT m.message_seq AS seq, coalesce(m.id, t.task_id) AS id, m.type, m.priority, coalesce(m.from_session, t.from_name) AS from_session,
         t.task_id AS task_id
       FROM messages m LEFT JOIN tasks t ON t.task_seq = m.task_seq
       WHERE m.network_seq = ? AND m.alias = ? AND ${PENDING} AND m.urgency = ? AND m.message_seq > ? AND m.fetched_at IS NULL
         AND NOT (m.type = 'task' AND t.status = 'delivered' AND t.expires_at <= ?)
       ORDER BY m.message_seq LIMIT ?`,
        [reader.networkSeq(networkId), alias, urgency, after, reader.now, limit - found.length],
      )),
    );
  }
  return found;
}

const LAST_OF_EACH = URGENCIES.map(
  (urgency) =>
    `coalesce((SELECT m.message_seq FROM messages m WHERE m.network_seq = ?1 AND m.alias = ?2 AND ${PENDING} AND m.urgency = ${urgency}
       ORDER BY m.message_seq DESC LIMIT 1), 0)`,
);
const LAST = inEach(({ greatest }) => `SELECT ${greatest(...LAST_OF_EACH)} AS seq`);

/** The number of the latest pending message of an alias; 0 if there is none. */
export async function lastNumber(reader: Reader, networkId: string, alias: string): Promise<number> {
  const last = await reader.first<{ seq: number }>(LAST, [reader.networkSeq(networkId), alias]);
  return last?.seq ?? 0;
}

export type MessageFilter = {
  alias?: string | undefined;
  from_session?: string | undefined;
  pending?: boolean | undefined;
  /** Part of the content; ASCII letters match in either case. */
  text?: string | undefined;
  type?: MessageType | undefined;
  without_tasks?: boolean | undefined;
};

/**
 * Lists messages, limited to the next `rows` of each network. `pending` selects only pending ones, or only the others.
 */
export function listSlice(reader: Reader, filter: MessageFilter, page: SlicePage): Promise<Slice<Numbered<Message>>> {
  const listing = {
    select: SELECTED,
    from: SOURCE,
    table: 'messages m',
    network: { seq: 'm.network_seq' },
    sequence: 'm.message_seq',
    parts: partsOf(filter),
    along: ['m.alias = ?', filter.alias] as const,
    where: [
      ...stateOf(filter),
      ['m.type = ?', filter.type],
      ['m.type <> ?', filter.without_tasks === true ? 'task' : undefined],
      ['coalesce(m.from_session, t.from_name) = ?', filter.from_session],
      containing('coalesce(m.content, b.content, t.content)', filter.text),
    ] as const,
  };
  return newest.listSlice(reader, listing, page, 'newest');
}

/** The parts of the list, each in the order of an index. Only the inbox of an alias has indexes by state. */
function partsOf({ alias, pending }: MessageFilter): readonly string[] {
  if (alias === undefined) return [];
  const waiting = URGENCIES.map((urgency) => `${PENDING} AND m.urgency = ${urgency}`);
  if (pending === undefined) return [...waiting, DONE];
  return pending ? waiting : [DONE];
}

/** The state as a condition that is checked row by row, where there is no index by state. */
function stateOf({ alias, pending }: MessageFilter): readonly Condition[] {
  if (alias !== undefined || pending === undefined) return [];
  return [[`${pending ? `(${PENDING})` : DONE} AND 1 = ?`, 1]];
}

/** Lists the replies and cancellations of a task, latest first. */
export function listOfTask(reader: Reader, taskSeq: number, limit: number, skipped = 0): Promise<Message[]> {
  return reader.all(
    `SELECT ${SELECTED} FROM ${SOURCE} WHERE m.task_seq = ? AND m.type <> 'task' ORDER BY m.place DESC LIMIT ? OFFSET ?`,
    [taskSeq, limit, skipped],
  );
}

/** SQL for the number of a message by its id; a first attempt has the id of its task. */
const numberOf = (id: string): string =>
  `coalesce((SELECT x.message_seq FROM messages x WHERE x.id = ${id}),
    (SELECT y.message_seq FROM tasks z JOIN messages y ON y.task_seq = z.task_seq AND y.place IN (0, 1) AND y.type = 'task' AND y.id IS NULL
     WHERE z.task_id = ${id}))`;

/** Finds a message of this alias: the live attempt of the task with this id, or the message with this id. */
export async function findInInbox(
  reader: Reader,
  networkId: string,
  alias: string,
  id: string,
): Promise<Message | undefined> {
  const live = await reader.first<Message>(
    `SELECT ${SELECTED} FROM ${SOURCE} WHERE m.task_seq = (SELECT x.task_seq FROM tasks x WHERE x.task_id = ?) AND m.type = 'task' AND m.place = 0
       AND m.network_seq = ? AND m.alias = ?`,
    [id, reader.networkSeq(networkId), alias],
  );
  if (live !== undefined) return live;
  const message = await findById(reader, networkId, id);
  return message?.alias === alias ? message : undefined;
}

export function findById(reader: Reader, networkId: string, id: string): Promise<Message | undefined> {
  return reader.first(
    `SELECT ${SELECTED} FROM ${SOURCE} WHERE m.network_seq = ?1 AND m.message_seq = ${numberOf('?2')}`,
    [reader.networkSeq(networkId), id],
  );
}

const BY_NUMBERS = inEach(({ numbers }) => `SELECT ${SELECTED} FROM ${SOURCE} WHERE m.message_seq IN ${numbers('?')}`);

/** Returns the existing messages with these numbers. */
export async function listByNumbers(reader: Reader, seqs: readonly number[]): Promise<Map<number, Message>> {
  const found = await reader.all<Message>(BY_NUMBERS, [JSON.stringify(seqs)]);
  return new Map(found.map((message) => [message.message_seq, message]));
}

/** Whether this alias was assigned an earlier attempt of the task. */
export async function wasAssigned(reader: Reader, taskSeq: number, alias: string): Promise<boolean> {
  return (
    (await reader.first("SELECT 1 FROM messages WHERE task_seq = ? AND type = 'task' AND alias = ? LIMIT 1", [
      taskSeq,
      alias,
    ])) !== undefined
  );
}

export async function markAcknowledged(tx: Transaction, seq: number, response: string | null): Promise<void> {
  const { changes } = await tx.run(
    'UPDATE messages SET acked_at = ?, response = ? WHERE message_seq = ? AND acked_at IS NULL',
    [tx.now, response, seq],
    'inboxes',
  );
  tx.count('acknowledged', changes);
}

export async function markFetched(tx: Transaction, seqs: readonly number[]): Promise<void> {
  const { changes } = await tx.run(
    `UPDATE messages SET fetched_at = ? WHERE message_seq IN (${placeholders(seqs)}) AND fetched_at IS NULL`,
    [tx.now, ...seqs],
  );
  tx.count('fetched', changes);
}

export async function markNotified(
  tx: Transaction,
  pushes: readonly (readonly [id: string, at: Millis])[],
): Promise<void> {
  const { changes } = await tx.run(
    `WITH pushed (id, at) AS (VALUES ${pushes.map(() => '(?, CAST(? AS bigint))').join(', ')}) UPDATE messages SET notified_at = pushed.at FROM pushed
     WHERE messages.message_seq = ${numberOf('pushed.id')} AND messages.notified_at IS NULL`,
    pushes.flat(),
  );
  tx.count('pushed', changes);
}

/** Withdraws the live message of the task, whose attempt has ended, from the inbox. */
export function withdrawAttempt(tx: Transaction, taskSeq: number): Promise<{ changes: number }> {
  return withdrawAttempts(tx, [taskSeq]);
}

export function withdrawAttempts(tx: Transaction, taskSeqs: readonly number[]): Promise<{ changes: number }> {
  const of = `task_seq IN (${placeholders(taskSeqs)}) AND type = 'task' AND place = 0`;
  return tx.run(`UPDATE messages SET withdrawn_at = ? WHERE ${of}`, [tx.now, ...taskSeqs], 'inboxes');
}
