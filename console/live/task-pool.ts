// A bounded cache of all tasks seen by this page, so that filters show results before the hub responds. The entry that
// has not changed for longest is evicted first.
import type { TaskRecord } from '../../server/domain/task.ts';
import type { ListedTask } from './api.ts';

const MAX_TASKS = 4_000;

const pool = new Map<string, ListedTask>();
let isWhole = false;

export function rememberTasks(tasks: readonly ListedTask[]): void {
  for (const task of tasks) {
    pool.delete(task.task_id);
    pool.set(task.task_id, task);
  }
  for (const oldest of pool.keys()) {
    if (pool.size <= MAX_TASKS) return;
    pool.delete(oldest);
    isWhole = false;
  }
}

export function taskKnown(task_id: string): ListedTask | undefined {
  return pool.get(task_id);
}

/** The newest matching tasks. */
export function knownTasks(matches: (task: TaskRecord) => boolean, most: number): TaskRecord[] {
  const found: TaskRecord[] = [];
  for (const task of pool.values()) if (matches(task)) found.push(task);
  return found.sort(newestFirst).slice(0, most);
}

export function forgetTasks(): void {
  pool.clear();
  isWhole = false;
}

/** True when every task of the network is cached. */
export function isPoolComplete(): boolean {
  return isWhole;
}

export function markPoolComplete(): void {
  isWhole = true;
}

export function poolSize(): number {
  return pool.size;
}

/** Timestamps have a resolution of one second. Ids of the hub start with the millisecond. */
function newestFirst(one: TaskRecord, other: TaskRecord): number {
  return compare(other.created_at, one.created_at) || compare(other.task_id, one.task_id);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
