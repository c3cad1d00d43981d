// Runs one action on many tasks. The state is independent of the page, so it survives navigation.
import { signal } from '@preact/signals';
import { account, networkAndActor } from '../../account/account.ts';
import { cancelTask, retryTask } from '../../live/api.ts';
import { errorText } from '../../live/error-texts.ts';
import { RequestError } from '../../live/request.ts';
import { handOver } from '../hand-over.ts';
import type { SelectedTask } from './selection.ts';

export type BulkAct = 'retry' | 'cancel' | 'reassign';
export type BulkAction = { what: BulkAct; run(task: SelectedTask): Promise<unknown> };

/** `given` is the reason of a cancellation, or the agent that gets the tasks. */
export const BULK_ACTIONS: Record<BulkAct, (given: string) => BulkAction> = {
  retry: () => ({ what: 'retry', run: (task) => retryTask(task.task_id, networkAndActor(task)) }),
  cancel: (reason) => ({
    what: 'cancel',
    run: (task) => cancelTask(task.task_id, { ...networkAndActor(task), reason: reason || undefined }),
  }),
  reassign: (new_alias) => ({ what: 'reassign', run: (task) => handOver(task, new_alias) }),
};

export type Rejection = { task: SelectedTask; why: string };
/** `notAttempted` contains tasks that were not attempted. */
export type BulkResult = Pick<BulkAction, 'what'> & {
  done: number;
  rejected: readonly Rejection[];
  notAttempted: readonly SelectedTask[];
};

/** Concurrent requests. A browser opens six connections per host, and the stream uses one. */
const AT_ONCE = 4;

export const bulkProgress = signal<{ done: number; all: number } | null>(null);
export const bulkResult = signal<BulkResult | null>(null);

let isStopped = false;

/** Stops when the user cancels it, the hub is unreachable or the account changes. */
export async function runBulk(tasks: readonly SelectedTask[], { what, run }: BulkAction): Promise<BulkResult> {
  const [token, notAttempted, rejected] = [account.value?.token, [...tasks], [] as Rejection[]];
  let done = 0;
  isStopped = false;
  bulkResult.value = null;
  const report = () => (bulkProgress.value = { done: done + rejected.length, all: tasks.length });
  const reject = (task: SelectedTask, error: unknown) => {
    if (isUnreachable(error)) isStopped = true;
    rejected.push({ task, why: errorText(error) });
  };
  async function work(): Promise<void> {
    while (!isStopped && account.value?.token === token) {
      const task = notAttempted.shift();
      if (task === undefined) return;
      await run(task).then(
        () => (done += 1),
        (error: unknown) => reject(task, error),
      );
      report();
    }
  }
  report();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  bulkProgress.value = null;
  const outcome = { what, done, rejected, notAttempted };
  if (account.value?.token === token) bulkResult.value = outcome;
  return outcome;
}

/** Requests that have started are awaited. */
export function stopBulk(): void {
  isStopped = true;
}

/** Without a response, further requests would fail as well. */
function isUnreachable(error: unknown): boolean {
  return error instanceof RequestError && error.status === 0;
}
