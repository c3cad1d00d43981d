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

function newestFirst(one: TaskRecord, other: TaskRecord): number {
  return one.created_at < other.created_at ? 1 : one.created_at > other.created_at ? -1 : 0;
}
