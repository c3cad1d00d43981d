// The selected tasks: visible ones, or all that match a filter.
import { signal } from '@preact/signals';
import { MAX_REST_LIMIT } from '../../../server/domain/limits.ts';
import type { TaskRecord } from '../../../server/domain/task.ts';
import { account } from '../../account/account.ts';
import { listTasks } from '../../live/api.ts';
import { hubTime } from '../../live/clock.ts';
import { taskKnown } from '../../live/task-pool.ts';
import { headline } from '../../parts/format.ts';
import { matcherOf, queryOf, type TaskFilter } from '../task-filter.ts';

/** The fields that bulk actions need. A selection can hold a hundred thousand tasks. */
export type SelectedTask = Pick<TaskRecord, 'task_id' | 'network_id' | 'status' | 'expires_at'> & { headline: string };

export const selected = signal<ReadonlySet<string>>(new Set());

let gathered = new Map<string, SelectedTask>();

/** Where a range starts, and what was selected at that moment. */
let start: { task_id: string; before: ReadonlySet<string> } | undefined;

export function toggle(task_id: string): void {
  const next = new Set(selected.value);
  if (!next.delete(task_id)) next.add(task_id);
  start = { task_id, before: next };
  selected.value = next;
}

/** Selects the tasks between the one that was toggled last and this one, instead of the range selected since. */
export function selectTo(task_id: string, shown: readonly string[]): void {
  const [from, to] = [shown.indexOf(start?.task_id ?? ''), shown.indexOf(task_id)];
  if (start === undefined || from < 0 || to < 0) return toggle(task_id);
  const range = shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  selected.value = new Set([...start.before, ...range]);
}

export function select(ids: readonly string[]): void {
  selected.value = new Set(ids);
  if (ids.length === 0) gathered = new Map();
}

/** The filter that the selection has been narrowed to. */
let narrowedTo = '';

/** Another filter leaves only what it shows. Later, a task leaves the selection when it no longer matches. */
export function narrowTo(filter: TaskFilter, rows: readonly TaskRecord[]): void {
  const key = JSON.stringify(filter);
  const isOther = narrowedTo !== key;
  narrowedTo = key;
  const shown = new Set(rows.map(({ task_id }) => task_id));
  const matches = matcherOf({ ...filter, text: undefined }, hubTime());
  const left = [...selected.value].filter((task_id) => {
    const task = taskKnown(task_id);
    return shown.has(task_id) || !(isOther || (task && !matches(task)));
  });
  if (left.length < selected.value.size) select(left);
}

/**
 * Selects all tasks that match now; later ones are not included. `onProgress` receives the number found and returns
 * whether to continue.
 */
export async function selectMatching(filter: TaskFilter, onProgress: (found: number) => boolean): Promise<void> {
  const page = { network_id: account.value?.network_id, limit: MAX_REST_LIMIT, outline: 'true' } as const;
  const query = { ...queryOf(filter, hubTime()), ...page };
  const found: SelectedTask[] = [];
  let cursor: string | undefined;
  do {
    const { tasks, next_cursor } = await listTasks({ ...query, cursor });
    found.push(...tasks.map(selectedTaskOf));
    cursor = next_cursor;
    if (!onProgress(found.length)) return;
  } while (cursor !== undefined);
  selectThese(found);
}

/** Selects tasks that the page may have evicted. */
export function selectThese(tasks: readonly SelectedTask[]): void {
  gathered = new Map(tasks.map((task) => [task.task_id, task]));
  selected.value = new Set(gathered.keys());
}

/** The selected tasks in their current state, as far as the page knows it. */
export function selectedTasks(): SelectedTask[] {
  return [...selected.value].flatMap((task_id) => {
    const known = taskKnown(task_id);
    return known === undefined ? (gathered.get(task_id) ?? []) : selectedTaskOf(known);
  });
}

export function selectedTaskOf({ task_id, network_id, status, expires_at, content }: TaskRecord): SelectedTask {
  return { task_id, network_id, status, expires_at, headline: headline(content) };
}
