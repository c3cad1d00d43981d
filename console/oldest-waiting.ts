// The task that has waited longest to be started. New ones wait behind it, so it is looked for anew only when it is gone.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../server/domain/task.ts';
import { account } from './account.ts';
import { listTasks } from './api.ts';
import { follow, holding } from './feed.ts';
import { rememberTasks } from './task-pool.ts';

const PAGE = 500;
const PACE_MS = 1_000;

/** Undefined while it is not known, null when nothing waits. */
export function useOldestWaiting(): Signal<TaskRecord | null | undefined> {
  const oldest = useSignal<TaskRecord | null | undefined>(undefined);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const find = async () => {
      const found = await oldestOf().catch(() => undefined);
      if (!isOver && found !== undefined) oldest.value = found;
    };
    void find();
    const end = follow((happening) => {
      if (happening.type !== 'task') return;
      const isIt = happening.task_id === oldest.value?.task_id;
      if ((isIt && happening.status !== 'delivered') || (oldest.value === null && happening.status === 'delivered')) {
        timer ??= setTimeout(() => ((timer = undefined), void find()), PACE_MS);
      }
    });
    return () => {
      isOver = true;
      end();
      clearTimeout(timer);
    };
  }, []);
  return oldest;
}

/** The hub lists the newest first: the oldest is the last of the last page. A retried task waits from then on. */
async function oldestOf(): Promise<TaskRecord | null> {
  let oldest: TaskRecord | null = null;
  let cursor: string | undefined;
  do {
    const page = await holding(listTasks({ network_id: account.value?.network_id, status: 'delivered', limit: PAGE, cursor }));
    rememberTasks(page.tasks);
    for (const task of page.tasks) if (oldest === null || task.delivered_at < oldest.delivered_at) oldest = task;
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return oldest;
}
