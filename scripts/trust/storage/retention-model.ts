// Which rows of a hub its documented retention deletes, computed from the rows alone.
import { DatabaseSync } from 'node:sqlite';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const KEPT_MS = { events: 24 * HOUR_MS, messages: 90 * DAY_MS, tasks: 365 * DAY_MS, audit: 365 * DAY_MS };

type Value = string | number | null;
type Values = Readonly<Record<string, Value>>;
type Stored = { table: string; values: Values };

/** Rows by table name and number. */
export type Rows = ReadonlyMap<string, Stored>;

/** Tables whose rows are deleted by age, with the columns that determine the age. */
export const MADE = [
  { table: 'tasks', key: 'task_seq', columns: ['created_at', 'completed_at'] },
  { table: 'messages', key: 'message_seq', columns: ['created_at', 'acked_at'] },
  { table: 'completions', key: 'completion_seq', columns: ['completed_at'] },
  { table: 'audit_log', key: 'entry_seq', columns: ['created_at'] },
] as const;

const READ = [
  ...MADE,
  { table: 'events', key: 'seq' },
  { table: 'sessions', key: 'rowid' },
  { table: 'task_events', key: 'event_seq' },
];

export function rowsIn(file: string): Rows {
  const database = new DatabaseSync(file, { readOnly: true });
  const rowsOf = (table: string, key: string): [string, Stored][] => {
    const rows = database.prepare(`SELECT ${key} AS number, * FROM ${table}`).all();
    return rows.map((row) => [`${table} ${String(row.number)}`, { table, values: row as Values }]);
  };
  const found = READ.flatMap(({ table, key }) => rowsOf(table, key));
  database.close();
  return new Map(found);
}

export function mustGo(rows: Rows, now: number): Set<string> {
  const of = (table: string) =>
    [...rows].filter(([, row]) => row.table === table).map(([name, { values }]) => ({ ...values, name }) as Named);
  const isOlder = (moment: Value | undefined, kept: number): boolean =>
    typeof moment === 'number' && moment < now - kept;
  const [messages, sessions] = [of('messages'), of('sessions')];
  const readers = new Set(sessions.map(({ alias }) => alias));
  const isPending = (message: Values): boolean => message.acked_at === null && message.withdrawn_at === null;
  const isWaitedFor = (message: Values): boolean =>
    isPending(message) && message.alias !== 'hub' && readers.has(message.alias);

  const unread = new Set(messages.filter(isWaitedFor).map(({ task_seq }) => task_seq));
  const tasks = of('tasks').filter(
    ({ completed_at, task_seq }) => isOlder(completed_at, KEPT_MS.tasks) && !unread.has(task_seq),
  );
  const goes = new Set(tasks.map(({ task_seq }) => task_seq));
  const isOver = (message: Values): boolean =>
    goes.has(message.task_seq) ||
    (message.type !== 'task' && isOlder(message.acked_at, KEPT_MS.messages)) ||
    (message.task_seq === null &&
      isPending(message) &&
      !isWaitedFor(message) &&
      isOlder(message.created_at, KEPT_MS.tasks));
  const gone = [
    ...tasks,
    ...messages.filter(isOver),
    ...of('task_events').filter(({ task_seq }) => goes.has(task_seq)),
    ...of('completions').filter(({ completed_at }) => isOlder(completed_at, KEPT_MS.tasks)),
    ...of('audit_log').filter(({ created_at }) => isOlder(created_at, KEPT_MS.audit)),
    ...of('events').filter(({ created_at }) => isOlder(created_at, KEPT_MS.events)),
  ];
  return new Set(gone.map(({ name }) => name));
}

type Named = Values & { name: string };
