// Gives a task to another agent: a live one is reassigned, a settled one is retried there.
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { networkAndActor } from '../account/account.ts';
import { reassignTask, retryTask } from '../live/api.ts';

type HandedTask = Pick<TaskRecord, 'task_id' | 'network_id' | 'status'>;

export function handOver(task: HandedTask, new_alias: string): Promise<unknown> {
  const move = isLive(task) ? reassignTask : retryTask;
  return move(task.task_id, { ...networkAndActor(task), new_alias });
}
