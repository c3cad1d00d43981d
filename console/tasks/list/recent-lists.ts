// Keeps recently viewed lists live for a while, so that returning to one is instant.
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../../server/domain/task.ts';
import { account } from '../../account/account.ts';
import type { ListedTask } from '../../live/api.ts';
import type { TaskFilter } from '../task-filter.ts';
import { type TaskList, taskList } from './task-list.ts';

const MAX_LISTS = 16;
const TYPING_MS = 200;
const lists = new Map<string, TaskList>();

/** Returns the list for this filter, loaded and live. */
export function useTaskList(filter: TaskFilter, size: number): TaskList {
  const key = JSON.stringify([account.value?.network_id, filter, size]);
  const list = lists.get(key) ?? opened(key, filter, size);
  useEffect(() => {
    // The most recently used list is evicted last.
    lists.delete(key);
    lists.set(key, list);
    dropOldest();
    list.showKnown();
    // While the user types, cached tasks are shown. The request to the hub follows when typing stops.
    const timer = setTimeout(
      () => void (list.isFresh() || list.load()),
      filter.text === undefined || list.rows.value === null ? 0 : TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      list.freeze(false);
    };
  }, [list]);
  return list;
}

function opened(key: string, filter: TaskFilter, size: number): TaskList {
  const list = taskList(filter, size);
  lists.set(key, list);
  return list;
}

function dropOldest(): void {
  for (const key of lists.keys()) {
    if (lists.size <= MAX_LISTS) return;
    lists.delete(key);
  }
}

export function applyToLists(task: TaskRecord, before: ListedTask | undefined): void {
  for (const list of lists.values()) list.apply(task, before);
}

export async function reloadLists(): Promise<void> {
  await Promise.all([...lists.values()].map((list) => list.load()));
}

export function forgetLists(): void {
  lists.clear();
}
