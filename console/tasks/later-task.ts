// What the agent of a running task works on now, if it has started another task since.
import { useComputed } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import { now } from '../live/clock.ts';
import { agentsByAlias } from '../live/store.ts';
import { knownTasks } from '../live/task-pool.ts';

/** As far as the page knows; undefined unless the agent is working. */
export function useLaterTask({ status, to_name, started_at }: TaskRecord): TaskRecord | undefined {
  return useComputed(() => {
    void now.value; // the known tasks are not a signal
    if (status !== 'running' || agentsByAlias.value?.get(to_name)?.status !== 'working') return undefined;
    const isLater = (task: TaskRecord) =>
      task.status === 'running' && task.to_name === to_name && (task.started_at ?? '') > (started_at ?? '~');
    return knownTasks(isLater, 1)[0];
  }).value;
}
