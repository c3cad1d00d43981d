// The rows of the list of agents: what each is working on, which are stuck, and their order. Pure functions of the
// loaded data.
import type { SessionStatus } from '../../server/domain/session.ts';
import { stuckSince as stuckAgentSince } from '../../server/domain/stuck.ts';
import type { TaskRecord } from '../../server/domain/task.ts';
import type { Agent, AgentFigures } from '../live/api.ts';
import { headline, momentOf } from '../parts/format.ts';

export type RosterRow = {
  agent: Agent;
  /** The running task that it reports, or else the one that it started last, if known. */
  task: TaskRecord | undefined;
  /** The task that it reports, or else the title of its running task. */
  work: string;
  /** When a stuck agent last made progress; undefined for any other. */
  stuckSince: number | undefined;
  /** Where they are shown and loaded. */
  figures?: AgentFigures | undefined;
};

/** `progress` is the last start or reply of a task of each alias, as a timestamp. */
export function rosterOf(
  agents: readonly Agent[],
  running: readonly TaskRecord[],
  progress: ReadonlyMap<string, string>,
  now: number,
): RosterRow[] {
  const tasks = Map.groupBy(running, ({ to_name }) => to_name);
  return agents.map((agent) => {
    const task = currentTask(agent, tasks.get(agent.alias) ?? []);
    return {
      agent,
      task,
      work: workOf(agent, task),
      stuckSince: stuckSince(agent, laterOf(task?.started_at ?? '', progress.get(agent.alias) ?? ''), now),
    };
  });
}

/** Of its running tasks, the one that an agent reports by its ID or its title, or else the one that it started last. */
export function currentTask(
  { task: reported }: Pick<Agent, 'task'>,
  running: readonly TaskRecord[],
): TaskRecord | undefined {
  const byStart = running.toSorted((one, other) => ((one.started_at ?? '') < (other.started_at ?? '') ? -1 : 1));
  return byStart.findLast((task) => isReported(task, reported)) ?? byStart.at(-1);
}

export function isReported({ task_id, content }: TaskRecord, reported: string | null): boolean {
  return reported !== null && (reported === task_id || headline(reported) === headline(content));
}

/** Some agents report the id of their task. An idle agent keeps the last task that it reported. */
export function workOf(
  { status, task: reported }: Pick<Agent, 'status' | 'task'>,
  running: TaskRecord | undefined,
): string {
  if (status === 'idle' && running === undefined) return '';
  const isId = reported === running?.task_id || /^task_\w+$/.test(reported ?? '');
  return headline((isId ? null : reported) || (running?.content ?? ''));
}

/** `taskProgress` is the last progress with its tasks, as a timestamp; empty if there is none. */
export function stuckSince(
  { status, last_progress_at }: Pick<Agent, 'status' | 'last_progress_at'>,
  taskProgress: string,
  now: number,
): number | undefined {
  const moments = { status, last_progress_at: momentOf(last_progress_at) };
  return stuckAgentSince(moments, taskProgress === '' ? undefined : momentOf(taskProgress), now);
}

function laterOf(one: string, other: string): string {
  return one > other ? one : other;
}

export const STATUS_COLUMNS = ['agent', 'status', 'task', 'progress', 'model', 'host', 'inbox', 'seen'] as const;
export const FIGURE_COLUMNS = ['agent', 'status', 'wait', 'start', 'settle', 'failed', 'settled'] as const;
export const SORT_COLUMNS = [...new Set([...STATUS_COLUMNS, ...FIGURE_COLUMNS])];
export type SortColumn = (typeof SORT_COLUMNS)[number];
export type Sort = { column: SortColumn; isDescending: boolean };

/** The order by attention, which the address does not name. */
const DEFAULT_SORT = 'status';
/** These columns start with their largest value. */
const DESCENDING_FIRST: readonly SortColumn[] = [
  'progress',
  'inbox',
  'seen',
  'wait',
  'start',
  'settle',
  'failed',
  'settled',
];

/** Reads the sort from an address: the name of a column, after `-` if descending. */
export function sortNamed(name = DEFAULT_SORT): Sort {
  const column = SORT_COLUMNS.find((each) => each === name.replace(/^-/, ''));
  return { column: column ?? DEFAULT_SORT, isDescending: column !== undefined && name.startsWith('-') };
}

export function firstSort(column: SortColumn): Sort {
  return { column, isDescending: DESCENDING_FIRST.includes(column) };
}

/** The other direction, if this is the column of the current sort. */
export function nextSort(column: SortColumn, current: Sort): Sort {
  return current.column === column ? { column, isDescending: !current.isDescending } : firstSort(column);
}

/** The sort in an address; undefined for the default. */
export function sortName({ column, isDescending }: Sort): string | undefined {
  const name = `${isDescending ? '-' : ''}${column}`;
  return name === DEFAULT_SORT ? undefined : name;
}

const RANKS: Record<SessionStatus | 'stuck', number> = {
  waiting_input: 0,
  error: 1,
  blocked: 2,
  stuck: 3,
  working: 4,
  idle: 5,
  offline: 6,
};

/** Undefined where there is nothing to compare. */
const VALUES: Record<SortColumn, (row: RosterRow) => string | number | undefined> = {
  agent: ({ agent }) => agent.alias,
  status: ({ agent, stuckSince: since }) => RANKS[since === undefined ? agent.status : 'stuck'],
  task: ({ work }) => work || undefined,
  progress: (row) => progressShown(row),
  model: ({ agent }) => agent.model || undefined,
  host: ({ agent }) => agent.hostname || agent.server || undefined,
  inbox: ({ agent }) => agent.inbox_count ?? 0,
  seen: ({ agent }) => -momentOf(agent.last_seen_at),
  wait: ({ figures }) => figures?.queue_age_ms ?? undefined,
  start: ({ figures }) => figures?.time_to_start.p50_ms ?? undefined,
  settle: ({ figures }) => figures?.time_to_settle.p50_ms ?? undefined,
  failed: ({ figures }) => figures?.failure_rate ?? undefined,
  settled: ({ figures }) => figures?.settled_per_hour,
};

/** An idle agent keeps the progress of its last task, which says nothing about the next one. */
export function progressShown({ agent, work }: RosterRow): number | undefined {
  return work === '' || agent.status === 'offline' ? undefined : (agent.progress ?? undefined);
}

/** Rows with the same value keep their order, which is by name. Those without a value come last. */
export function sortRows(rows: readonly RosterRow[], { column, isDescending }: Sort): RosterRow[] {
  const valueOf = VALUES[column];
  const direction = isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: valueOf(row) }))
    .sort(({ value: one }, { value: other }) => {
      if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
      return direction * compare(one, other);
    })
    .map(({ row }) => row);
}

const alphabetical = new Intl.Collator(undefined, { numeric: true });

function compare(one: string | number, other: string | number): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : alphabetical.compare(String(one), String(other));
}
