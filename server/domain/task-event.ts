// A task event: one transition of a task and its actor.
import type { PublicIds } from './ids/public-ids.ts';
import type { Task } from './task.ts';
import type { TaskStatus } from './task-status.ts';
import type { Millis } from './time/clock.ts';
import { timestamp } from './time/time.ts';

/** The status of every task when it is sent. */
export const SENT_STATUS = 'delivered' satisfies TaskStatus;

/** A transition that just happened, with the task's new state. */
export type TaskMove = {
  task: Task;
  /** Null for its sending. */
  from_status: TaskStatus | null;
  actor: string;
  detail: string | null;
};

export type TaskEvent = {
  network_id: string;
  task_id: string;
  /** Null for the event of its sending. */
  from_status: TaskStatus | null;
  to_status: TaskStatus;
  actor: string;
  detail: string | null;
};

export type StoredTaskEvent = TaskEvent & { seq: number; created_at: Millis };

export function taskEventRecord(event: StoredTaskEvent, ids: PublicIds) {
  return {
    id: ids.ofNumber('task_event', event.seq),
    task_id: event.task_id,
    from_status: event.from_status,
    to_status: event.to_status,
    actor: event.actor,
    detail: event.detail,
    created_at: timestamp(event.created_at),
    created_at_ms: event.created_at,
  };
}
