// Which rows of a hub must go by its documented limits, worked out from the rows alone.
import { DatabaseSync } from 'node:sqlite';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const KEPT_MS = { events: 24 * HOUR_MS, messages: 90 * DAY_MS, tasks: 365 * DAY_MS, audit: 365 * DAY_MS };

type Value = string | number | null;
type Stored = { table: string; values: Readonly<Record<string, Value>> };

/** Rows by the name of their table and their number. */
export type Rows = ReadonlyMap<string, Stored>;

/** Tables whose rows go by age, with the moments that say how old they are. */
export const MADE = [
  { table: 'tasks', key: 'task_seq', columns: ['created_at', 'completed_at'] },
  { table: 'messages', key: 'message_seq', columns: ['created_at', 'acked_at'] },
  { table: 'completions', key: 'completion_seq', columns: ['completed_at'] },
  { table: 'audit_log', key: 'entry_seq', columns: ['created_at'] },
] as const;

const READ = [...MADE, { table: 'events', key: 'seq' }, { table: 'sessions', key: 'rowid' }, { table: 'task_events', key: 'event_seq' }];

export function rowsIn(file: string): Rows {
  const database = new DatabaseSync(file, { readOnly: true });
  const found = READ.flatMap(({ table, key }) => database.prepare(`SELECT ${key} AS number, * FROM ${table}`).all().map((row): [string, Stored] => {
    return [`${table} ${String(row.number)}`, { table, values: row as Stored['values'] }];
  }));
  database.close();
  return new Map(found);
}

export function mustGo(rows: Rows, now: number): Set<string> {
  const of = (table: string): [string, Stored['values']][] => [...rows].filter(([, row]) => row.table === table).map(([name, { values }]) => [name, values]);
  const isOlder = (moment: Value | undefined, kept: number): boolean => typeof moment === 'number' && moment < now - kept;
  const readers = new Set(of('sessions').map(([, { alias }]) => alias));
  const isPending = (message: Stored['values']): boolean => message.acked_at === null && message.withdrawn_at === null;
  const isWaitedFor = (message: Stored['values']): boolean => isPending(message) && message.alias !== 'hub' && readers.has(message.alias ?? null);
  const unread = new Set(of('messages').filter(([, message]) => isWaitedFor(message)).map(([, { task_seq }]) => task_seq));
  const tasks = new Map(of('tasks').filter(([, task]) => isOlder(task.completed_at, KEPT_MS.tasks) && !unread.has(task.task_seq ?? null)).map(([name, { task_seq }]) => [task_seq, name]));
  const isOver = (message: Stored['values']): boolean =>
    tasks.has(message.task_seq ?? null) || (message.type !== 'task' && isOlder(message.acked_at, KEPT_MS.messages))
    || (message.task_seq === null && isPending(message) && !isWaitedFor(message) && isOlder(message.created_at, KEPT_MS.tasks));
  return new Set([
    ...tasks.values(),
    ...named(of('messages').filter(([, message]) => isOver(message))),
    ...named(of('task_events').filter(([, { task_seq }]) => tasks.has(task_seq ?? null))),
    ...named(of('completions').filter(([, { completed_at }]) => isOlder(completed_at, KEPT_MS.tasks))),
    ...named(of('audit_log').filter(([, { created_at }]) => isOlder(created_at, KEPT_MS.audit))),
    ...named(of('events').filter(([, { created_at }]) => isOlder(created_at, KEPT_MS.events))),
  ]);
}

function named(rows: readonly [name: string, values: Stored['values']][]): string[] {
  return rows.map(([name]) => name);
}
