// The task that has waited longest to be started. New ones wait behind it, so it is looked for anew only when it is gone.
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../server/domain/task.ts';
import { account } from './account.ts';
import { listTasks } from './api.ts';
import { follow, holding } from './feed.ts';
import { rememberTasks } from './task-pool.ts';

/** A retried task keeps its place in the list and waits from then on, so the first is not always the one. */
const PAGE = 50;
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

async function oldestOf(): Promise<TaskRecord | null> {
  const { tasks } = await holding(listTasks({ network_id: account.value?.network_id, status: 'delivered', order: 'oldest', limit: PAGE }));
  rememberTasks(tasks);
  return tasks.reduce<TaskRecord | null>((oldest, task) => (oldest === null || task.delivered_at < oldest.delivered_at ? task : oldest), null);
}
