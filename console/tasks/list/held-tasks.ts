// The new tasks of a frozen list, which wait to be shown. At most as many are kept as the list has rows; the others are
// only counted, and the list is loaded again to show them.
import { type Signal, signal } from '@preact/signals';
import type { TaskRecord } from '../../../server/domain/task.ts';

export type HeldTasks = {
  /** The number of tasks that wait. */
  readonly count: Signal<number>;
  /** Whether tasks wait that are not kept. */
  areAnyForgotten(): boolean;
  has(task: TaskRecord): boolean;
  /** Keeps the newest `capacity` tasks. */
  hold(task: TaskRecord, capacity: number): void;
  /** Counts a task that the list has not seen. */
  countUnseen(): void;
  /** Returns whether the task was kept. */
  release(task: TaskRecord): boolean;
  /** A task that is not kept no longer matches. */
  discountForgotten(): void;
  /** Oldest first. */
  list(): readonly TaskRecord[];
  clear(): void;
};

export function heldTasks(): HeldTasks {
  const kept = new Map<string, TaskRecord>();
  const count = signal(0);
  let forgotten = 0;
  const recount = (): void => {
    count.value = kept.size + forgotten;
  };
  return {
    count,
    areAnyForgotten: () => forgotten > 0,
    has: ({ task_id }) => kept.has(task_id),
    hold(task, capacity) {
      kept.set(task.task_id, task);
      const [oldest] = kept.keys();
      if (kept.size > capacity && oldest !== undefined) {
        kept.delete(oldest);
        forgotten += 1;
      }
      recount();
    },
    countUnseen() {
      forgotten += 1;
      recount();
    },
    release({ task_id }) {
      const wasKept = kept.delete(task_id);
      recount();
      return wasKept;
    },
    discountForgotten() {
      forgotten = Math.max(0, forgotten - 1);
      recount();
    },
    list: () => [...kept.values()],
    clear() {
      kept.clear();
      forgotten = 0;
      recount();
    },
  };
}
