// Gives a task to another agent: a live one is reassigned, a settled one is retried there. Reassigning keeps the
// expiry, so a task that is past it would expire at once: it is cancelled and retried there, with a new ttl.
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { networkAndActor } from '../account/account.ts';
import { cancelTask, reassignTask, retryTask } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { momentOf } from '../parts/format.ts';

type HandedTask = Pick<TaskRecord, 'task_id' | 'network_id' | 'status' | 'expires_at'>;

/** It would expire before its next agent can start it. */
const LEAST_LEFT_MS = 5_000;

export async function handOver(task: HandedTask, new_alias: string): Promise<unknown> {
  const to = { ...networkAndActor(task), new_alias };
  const isLate = momentOf(task.expires_at) - hubTime() < LEAST_LEFT_MS;
  if (isLive(task) && !isLate) return reassignTask(task.task_id, to);
  if (isLive(task)) await cancelTask(task.task_id, networkAndActor(task));
  return retryTask(task.task_id, to);
}
