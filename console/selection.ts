// The tasks a person has ticked, and what can be done with all of them at once.
import { signal } from '@preact/signals';
import type { TaskRecord } from '../server/domain/task.ts';
import { problemText } from './problems.ts';
import { taskKnown } from './task-pool.ts';

export const selected = signal<ReadonlySet<string>>(new Set());

export function toggle(task_id: string): void {
  const next = new Set(selected.value);
  if (!next.delete(task_id)) next.add(task_id);
  selected.value = next;
}

export function select(ids: readonly string[]): void {
  selected.value = new Set(ids);
}

/** The ticked tasks as they are now. */
export function selectedTasks(): TaskRecord[] {
  return [...selected.value].flatMap((task_id) => taskKnown(task_id) ?? []);
}

export type BulkOutcome = { done: number; refused: number; why: string };

/** So many requests at a time: a browser opens six connections, and the stream needs one. */
const AT_ONCE = 4;

export async function inBulk(tasks: readonly TaskRecord[], act: (task: TaskRecord) => Promise<unknown>, onProgress: (done: number) => void): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { done: 0, refused: 0, why: '' };
  const waiting = [...tasks];
  async function work(): Promise<void> {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      await act(task).then(
        () => (outcome.done += 1),
        (error: unknown) => ((outcome.refused += 1), (outcome.why = problemText(error))),
      );
      onProgress(outcome.done + outcome.refused);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcome;
}
