// Stores tasks. Each is read with the delivery marks of the inbox message of its current attempt.
import { OUTLINE_CHARACTERS, type Task } from '../domain/task.ts';
import type { TaskStatus } from '../domain/task-status.ts';
import type { Millis } from '../domain/time/clock.ts';
import { countByStatus } from './counts/task-counts.ts';
import { networkIdOf } from './engine/network-seqs.ts';
import { placeholders } from './engine/placeholders.ts';
import { inEach } from './engine/sql.ts';
import type { Reader, Transaction } from './engine/transaction.ts';
import { containing } from './lists/containing.ts';
import type { Condition, Numbered, Slice, SlicedListing, SlicePage } from './lists/newest.ts';
import * as newest from './lists/newest.ts';

const COLUMNS = [
  'task_seq',
  'task_id',
  'from_name',
  'to_name',
  'priority',
  'status',
  'content',
  'context',
  'result',
  'attempt',
  'ttl_seconds',
  'created_at',
  'delivered_at',
  'started_at',
  'completed_at',
  'expires_at',
  'acked_at',
] as const satisfies readonly (keyof Task)[];

export const SELECTED = `${COLUMNS.map((column) => `t.${column}`).join(', ')}, ${networkIdOf('t')}, m.notified_at, m.fetched_at`;
/** The columns of an outline. Converting a hundred full texts to strings would take 50 ms. */
export const OUTLINED = SELECTED.replace(
  /t\.(content|result)/g,
  `substr(t.$1, 1, ${OUTLINE_CHARACTERS}) AS $1`,
).replace('t.context', 'NULL AS context');
export const SOURCE = `tasks t LEFT JOIN messages m
  ON m.task_seq = t.task_seq AND m.type = 'task' AND m.place = CASE WHEN t.completed_at IS NULL THEN 0 ELSE t.attempt END`;

/** Finds a task by task_id, or by the id of the inbox message of any of its attempts. */
export function findByEitherId(reader: Reader, networkId: string, id: string): Promise<Task | undefined> {
  return reader.first(
    `SELECT ${SELECTED} FROM ${SOURCE} WHERE t.network_seq = ?1 AND t.task_seq =
       coalesce((SELECT x.task_seq FROM tasks x WHERE x.task_id = ?2), (SELECT y.task_seq FROM messages y WHERE y.id = ?2 AND y.type = 'task'))`,
    [reader.networkSeq(networkId), id],
  );
}

const BY_NUMBERS = inEach(({ numbers }) => `SELECT ${SELECTED} FROM ${SOURCE} WHERE t.task_seq IN ${numbers('?')}`);

/** Returns the existing tasks with these numbers. */
export async function listByNumbers(reader: Reader, seqs: readonly number[]): Promise<Map<number, Task>> {
  const found = await reader.all<Task>(BY_NUMBERS, [JSON.stringify(seqs)]);
  return new Map(found.map((task) => [task.task_seq, task]));
}

/** The number of live tasks compared by content. Comparing an inbox of a hundred thousand could take seconds. */
const COMPARED = 1_000;

/**
 * Finds live tasks of an alias, among the latest `COMPARED`, with exactly this content. Returns at most two, enough to
 * detect ambiguity.
 */
export function findLiveByContent(reader: Reader, networkId: string, alias: string, content: string): Promise<Task[]> {
  return reader.all(
    `SELECT ${SELECTED} FROM ${SOURCE}
     WHERE t.task_seq IN (
       SELECT l.task_seq FROM tasks l WHERE l.network_seq = ?1 AND l.to_name = ?2 AND l.completed_at IS NULL ORDER BY l.task_seq DESC LIMIT ${COMPARED})
       AND octet_length(t.content) = octet_length(?3) AND t.content = ?3 LIMIT 2`, // SQLite has the length without reading the text
    [reader.networkSeq(networkId), alias, content],
  );
}

export type TaskFilter = {
  status?: TaskStatus | undefined;
  to_name?: string | undefined;
  from_name?: string | undefined;
  priority?: string | undefined;
  /** Part of the content or the result; ASCII letters match in either case. */
  text?: string | undefined;
  created_after?: Millis | undefined;
  created_before?: Millis | undefined;
};

export type TaskOrder = 'newest' | 'oldest';

/** Lists tasks in the order they were sent, newest first by default, limited to the next `rows` of each network. */
export function listSlice(
  reader: Reader,
  filter: TaskFilter & { order?: TaskOrder | undefined; outline?: boolean | undefined },
  page: SlicePage,
): Promise<Slice<Numbered<Task>>> {
  const listing = { ...listingOf(filter), ...(filter.outline === true && { select: OUTLINED }) };
  return newest.listSlice(reader, listing, page, filter.order ?? 'newest');
}

/** Counts from the stored counters; undefined if the filter has more than a status. */
export async function countKnown(
  reader: Reader,
  { status, ...others }: TaskFilter,
  networks: readonly string[],
): Promise<number | undefined> {
  const { along, where = [] } = listingOf(others);
  if ([along, ...where].some((condition) => condition?.[1] !== undefined)) return undefined;
  const counts = await countByStatus(reader, networks);
  return counts.reduce((sum, each) => sum + (status === undefined || each.status === status ? each.count : 0), 0);
}

export function countSlice(
  reader: Reader,
  filter: TaskFilter,
  page: SlicePage,
): Promise<{ count: number; end: number | undefined }> {
  return newest.countSlice(reader, listingOf(filter), page);
}

function listingOf(filter: TaskFilter): SlicedListing {
  const { parts, along, others } = indexedBy(filter);
  return {
    select: SELECTED,
    from: SOURCE,
    table: 'tasks t',
    network: { seq: 't.network_seq' },
    sequence: 't.task_seq',
    parts,
    along,
    where: [
      ...others,
      ['t.priority = ?', filter.priority],
      containing("t.content || '\n' || coalesce(t.result, '')", filter.text),
      ['t.created_at >= ?', filter.created_after],
      ['t.created_at < ?', filter.created_before],
    ],
  };
}

/**
 * The parts of the list that have an index, alone or combined with one of the names; the other names are checked row by
 * row. Statuses are constants and written into the SQL, so that SQLite can use partial indexes.
 */
function indexedBy({
  status,
  to_name,
  from_name,
}: TaskFilter): Pick<SlicedListing, 'parts' | 'along'> & { others: readonly Condition[] } {
  const names = (
    [
      ['t.to_name = ?', to_name],
      ['t.from_name = ?', from_name],
    ] as const
  ).filter(([, name]) => name !== undefined);
  if (status !== undefined) return { parts: [STATUS_PARTS[status]], others: names };
  const [along, ...others] = names;
  return { parts: along === undefined ? ALL_PARTS : ['t.completed_at IS NULL', SETTLED], along, others };
}

const SETTLED = 't.completed_at IS NOT NULL';
const STATUS_PARTS: Readonly<Record<TaskStatus, string>> = {
  delivered: "t.status = 'delivered' AND t.completed_at IS NULL",
  running: "t.status = 'running' AND t.completed_at IS NULL",
  replied: `${SETTLED} AND t.status = 'replied'`,
  failed: `${SETTLED} AND t.status = 'failed'`,
  cancelled: `${SETTLED} AND t.status = 'cancelled'`,
  expired: `${SETTLED} AND t.status = 'expired'`,
};
const ALL_PARTS = [STATUS_PARTS.delivered, STATUS_PARTS.running, SETTLED];

const INSERTED = [
  'task_id',
  'from_name',
  'to_name',
  'priority',
  'status',
  'content',
  'context',
  'ttl_seconds',
  'created_at',
  'delivered_at',
  'expires_at',
] as const satisfies readonly (keyof NewTask)[];

/** A task without a number yet. */
export type NewTask = Omit<Task, 'task_seq'>;

const INSERT = `INSERT INTO tasks (network_seq, ${INSERTED.join(', ')}) VALUES (?, ${placeholders(INSERTED)})`;

/** Stores a task that was just sent. */
export async function insert(tx: Transaction, task: NewTask): Promise<Task> {
  const [task_seq = 0] = await tx.insert(INSERT, [
    tx.networkSeq(task.network_id),
    ...INSERTED.map((column) => task[column]),
  ]);
  tx.sent.add(task.network_id, task.status);
  return { ...task, task_seq };
}

/** Stores a transition. The row must still have the status that was checked. */
export async function update(tx: Transaction, task: Task, fromStatus: TaskStatus): Promise<void> {
  const { changes } = await tx.run(
    `UPDATE tasks SET to_name = ?, status = ?, result = ?, attempt = ?, delivered_at = ?, started_at = ?, completed_at = ?,
       expires_at = ?, acked_at = ?, overtime = 0 WHERE task_seq = ? AND status = ?`,
    [
      task.to_name,
      task.status,
      task.result,
      task.attempt,
      task.delivered_at,
      task.started_at,
      task.completed_at,
      task.expires_at,
      task.acked_at,
      task.task_seq,
      fromStatus,
    ],
    'task_counts',
  );
  if (changes !== 1) throw new Error(`task ${task.task_id} was not ${fromStatus} when it was moved`);
}

export type WaitingTask = Pick<Task, 'task_seq' | 'created_at' | 'delivered_at'>;

/** Lists the tasks that wait to start, of an agent or of all, in the order they were sent, after number `after`. */
export function listWaiting(
  reader: Reader,
  { network_id, alias, after, limit }: { network_id: string; alias: string | undefined; after: number; limit: number },
): Promise<WaitingTask[]> {
  const isOfAlias = alias === undefined ? '' : 'AND t.to_name = ? AND t.completed_at IS NULL';
  return reader.all(
    `SELECT t.task_seq, t.created_at, t.delivered_at FROM tasks t
     WHERE t.network_seq = ? AND t.status = 'delivered' ${isOfAlias} AND t.task_seq > ? ORDER BY t.task_seq LIMIT ?`,
    [reader.networkSeq(network_id), ...(alias === undefined ? [] : [alias]), after, limit],
  );
}

/** Counts the tasks and messages that come before this one in the inbox. */
export async function countAhead(reader: Reader, task: Task): Promise<number> {
  const ahead = await reader.first<{ count: number }>(
    `SELECT count(*) AS count FROM messages m JOIN messages own ON own.task_seq = ?1 AND own.type = 'task' AND own.place = 0
     WHERE m.network_seq = ?2 AND m.alias = ?3 AND m.acked_at IS NULL AND m.withdrawn_at IS NULL
       AND (m.urgency < own.urgency OR (m.urgency = own.urgency AND m.message_seq < own.message_seq))`,
    [task.task_seq, reader.networkSeq(task.network_id), task.to_name],
  );
  return ahead?.count ?? 0;
}
