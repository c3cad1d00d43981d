// One act on many tasks, and what became of it. It belongs to no page: who leaves the list meanwhile finds it there
// again.
import { signal } from '@preact/signals';
import { account } from '../../account/account.ts';
import { problemText } from '../../live/problems.ts';
import { RequestError } from '../../live/request.ts';
import type { Ticked } from './selection.ts';

export type BulkAction = (task: Ticked) => Promise<unknown>;
export type Refusal = { task: Ticked; why: string };
/** `left` was not tried. */
export type BulkOutcome = { done: number; refused: readonly Refusal[]; left: readonly Ticked[] };

/** So many requests at a time: a browser opens six connections, and the stream needs one. */
const AT_ONCE = 4;

export const bulkProgress = signal<{ done: number; all: number } | null>(null);
export const bulkOutcome = signal<BulkOutcome | null>(null);

let isStopped = false;

/** Ends early when it is stopped, when the hub is gone, and when another person signs in. */
export async function runBulk(tasks: readonly Ticked[], act: BulkAction): Promise<BulkOutcome> {
  const [token, left, refused] = [account.value?.token, [...tasks], [] as Refusal[]];
  let done = 0;
  isStopped = false;
  bulkOutcome.value = null;
  const tell = () => (bulkProgress.value = { done: done + refused.length, all: tasks.length });
  const refuse = (task: Ticked, error: unknown) => {
    if (isGone(error)) isStopped = true;
    refused.push({ task, why: problemText(error) });
  };
  async function work(): Promise<void> {
    while (!isStopped && account.value?.token === token) {
      const task = left.shift();
      if (task === undefined) return;
      await act(task).then(
        () => (done += 1),
        (error: unknown) => refuse(task, error),
      );
      tell();
    }
  }
  tell();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  bulkProgress.value = null;
  const outcome = { done, refused, left };
  if (account.value?.token === token) bulkOutcome.value = outcome;
  return outcome;
}

/** What is under way is still waited for. */
export function stopBulk(): void {
  isStopped = true;
}

/** Where no answer comes, the next request gets none either. */
function isGone(error: unknown): boolean {
  return error instanceof RequestError && error.status === 0;
}
