// Runs one action on many tasks. The state is independent of the page, so it survives navigation.
import { signal } from '@preact/signals';
import { account } from '../../account/account.ts';
import { problemText } from '../../live/problems.ts';
import { RequestError } from '../../live/request.ts';
import type { Ticked } from './selection.ts';

export type BulkAction = (task: Ticked) => Promise<unknown>;
export type Refusal = { task: Ticked; why: string };
/** `left` contains tasks that were not attempted. */
export type BulkOutcome = { done: number; refused: readonly Refusal[]; left: readonly Ticked[] };

/** Concurrent requests. A browser opens six connections per host, and the stream uses one. */
const AT_ONCE = 4;

export const bulkProgress = signal<{ done: number; all: number } | null>(null);
export const bulkOutcome = signal<BulkOutcome | null>(null);

let isStopped = false;

/** Stops when the user cancels it, the hub is unreachable or the account changes. */
export async function runBulk(tasks: readonly Ticked[], act: BulkAction): Promise<BulkOutcome> {
  const [token, left, refused] = [account.value?.token, [...tasks], [] as Refusal[]];
  let done = 0;
  isStopped = false;
  bulkOutcome.value = null;
  const report = () => (bulkProgress.value = { done: done + refused.length, all: tasks.length });
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
      report();
    }
  }
  report();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  bulkProgress.value = null;
  const outcome = { done, refused, left };
  if (account.value?.token === token) bulkOutcome.value = outcome;
  return outcome;
}

/** Requests that have started are awaited. */
export function stopBulk(): void {
  isStopped = true;
}

/** Without a response, further requests would fail as well. */
function isGone(error: unknown): boolean {
  return error instanceof RequestError && error.status === 0;
}
