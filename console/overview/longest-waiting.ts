// The tasks that have waited longest to start, longest first. New tasks sort after them, so the list reloads only when
// one leaves or there is room for another.
import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account/account.ts';
import { listTasks } from '../live/api.ts';
import { onLiveEvent, whileHoldingEvents } from '../live/live-events.ts';
import { rememberTasks } from '../live/task-pool.ts';

/**
 * A retried task keeps its list position although its wait restarts, so the first tasks are not always the longest
 * waiting.
 */
const PAGE = 50;
const MIN_INTERVAL_MS = 1_000;
/** So many count as all of them. */
const MOST = 500;

/** When all waiting tasks were last loaded into the cache, in milliseconds of the page; 0 before the first time. */
export const waitingLoadedAt = signal(0);

/** At most `most` tasks; null until loaded. */
export function useLongestWaiting(most: number): Signal<readonly TaskRecord[] | null> {
  const longest = useSignal<readonly TaskRecord[] | null>(null);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const find = async () => {
      const found = await longestOf(most).catch(() => undefined);
      if (!isOver && found !== undefined) longest.value = found;
    };
    const reload = () => {
      timer = undefined;
      void find();
    };
    void find();
    const end = onLiveEvent((event) => {
      if (event.type !== 'task' || longest.value === null) return;
      const kept = withChange(longest.value, event);
      if (kept !== undefined) longest.value = kept;
      else if (mayChangeList(longest.value, event, most)) timer ??= setTimeout(reload, MIN_INTERVAL_MS);
    });
    return () => {
      isOver = true;
      end();
      clearTimeout(timer);
    };
  }, [most]);
  return longest;
}

/** Applies a change that does not affect which tasks are listed. */
export function withChange(longest: readonly TaskRecord[], task: TaskRecord): readonly TaskRecord[] | undefined {
  const at = longest.findIndex(({ task_id }) => task_id === task.task_id);
  return isWaitingSince(task, longest[at]?.delivered_at) ? longest.with(at, task) : undefined;
}

function isWaitingSince({ status, delivered_at }: TaskRecord, moment: string | undefined): boolean {
  return status === 'delivered' && delivered_at === moment;
}

/** True when a listed task leaves or restarts its wait, or another task fits. */
export function mayChangeList(longest: readonly TaskRecord[], { task_id, status }: TaskRecord, most: number): boolean {
  return longest.some((each) => each.task_id === task_id) || (status === 'delivered' && longest.length < most);
}

async function longestOf(most: number): Promise<readonly TaskRecord[]> {
  const tasks = await loadOldestWaiting(PAGE);
  return tasks.toSorted((one, other) => one.delivered_at.localeCompare(other.delivered_at)).slice(0, most);
}

/** Loads this many of the waiting tasks, those that were sent first. */
export async function loadOldestWaiting(limit = MOST): Promise<readonly TaskRecord[]> {
  const network_id = account.value?.network_id;
  const { tasks } = await whileHoldingEvents(
    listTasks({ network_id, status: 'delivered', order: 'oldest', limit, outline: 'true' }),
  );
  if (network_id !== account.value?.network_id) return tasks;
  rememberTasks(tasks);
  if (limit > PAGE || tasks.length < PAGE) waitingLoadedAt.value = performance.now();
  return tasks;
}
