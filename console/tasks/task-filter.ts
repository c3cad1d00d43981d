// The task filter: parsed from the address, sent to the hub, and applied locally to cached tasks.
import type { TaskRecord } from '../../server/domain/task.ts';
import type { Priority, TaskStatus } from '../../server/domain/task-status.ts';
import { PRIORITIES, TASK_STATUSES } from '../../server/domain/task-status.ts';
import type { TaskQuery } from '../live/api.ts';
import { momentOf, stampOf } from '../parts/format.ts';
import { statusNamed } from '../parts/statuses.ts';

export type TaskFilter = {
  status?: TaskStatus | undefined;
  to?: string | undefined;
  from?: string | undefined;
  priority?: Priority | undefined;
  text?: string | undefined;
  age?: TaskAge | undefined;
};

const HOUR_MS = 3_600_000;

/** Age ranges: sent within this time, or before it. */
const AGES = {
  'under-1h': { within: HOUR_MS },
  'under-1d': { within: 24 * HOUR_MS },
  'under-7d': { within: 168 * HOUR_MS },
  'over-1h': { beyond: HOUR_MS },
  'over-1d': { beyond: 24 * HOUR_MS },
} as const satisfies Record<string, { within: number } | { beyond: number }>;
export type TaskAge = keyof typeof AGES;
export const TASK_AGES = [
  'under-1h',
  'under-1d',
  'under-7d',
  'over-1h',
  'over-1d',
] as const satisfies readonly TaskAge[];

/** Parses an address and ignores unknown values. */
export function taskFilterOf(query: Record<string, string>): TaskFilter {
  return {
    status: statusNamed(TASK_STATUSES, query['status']),
    to: query['to'] || undefined,
    from: query['from'] || undefined,
    priority: statusNamed(PRIORITIES, query['priority']),
    text: query['text'] || undefined,
    age: statusNamed(TASK_AGES, query['age']),
  };
}

export function isFiltered(filter: TaskFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** The filter as query parameters. Ages are relative to now. */
export function queryOf({ to, from, age, ...rest }: TaskFilter, now: number): TaskQuery {
  const [after, before] = age === undefined ? [] : bounds(age, now);
  return { ...rest, to_name: to, from_name: from, created_after: stampIf(after), created_before: stampIf(before) };
}

/** Whether a task matches. Case is ignored for ASCII letters only, as in the search of the hub. */
export function matcherOf(filter: TaskFilter, now: number): (task: TaskRecord) => boolean {
  const [after, before] = filter.age === undefined ? [] : bounds(filter.age, now);
  const text = filter.text === undefined ? undefined : folded(filter.text);
  return (task) =>
    (filter.status === undefined || task.status === filter.status) &&
    (filter.to === undefined || task.to_name === filter.to) &&
    (filter.from === undefined || task.from_name === filter.from) &&
    (filter.priority === undefined || task.priority === filter.priority) &&
    (after === undefined || momentOf(task.created_at) >= after) &&
    (before === undefined || momentOf(task.created_at) <= before) &&
    (text === undefined || searchable(task).includes(text));
}

function bounds(age: TaskAge, now: number): [after: number | undefined, before: number | undefined] {
  const span: { within?: number; beyond?: number } = AGES[age];
  return [span.within && now - span.within, span.beyond && now - span.beyond];
}

function stampIf(moment: number | undefined): string | undefined {
  return moment === undefined ? undefined : stampOf(moment);
}

/** The second after a timestamp, because `created_before` excludes its own. */
export function stampAfter(timestamp: string): string {
  return stampOf(momentOf(timestamp) + 1_000);
}

/** Records are immutable, so their search text is cached. */
const searched = new WeakMap<TaskRecord, string>();

function searchable(task: TaskRecord): string {
  const known = searched.get(task);
  if (known !== undefined) return known;
  const text = folded(`${task.content}\n${task.result ?? ''}`);
  searched.set(task, text);
  return text;
}

function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
