// A task, and its form in REST, MCP and the event stream. The statuses and transitions are in task-status.ts.
import { taskIsTerminal, taskNotRetryable } from './errors.ts';
import { mayMove, type Priority, type TaskStatus, type Verb } from './task-status.ts';
import { firstCharacters } from './text/characters.ts';
import type { Millis } from './time/clock.ts';
import { timestamp, timestampOrNull } from './time/time.ts';

/** A task in the store. Times are milliseconds; the wire form is `TaskRecord`. */
export type Task = {
  /** Internal sequence number, never shown. */
  task_seq: number;
  task_id: string;
  network_id: string;
  from_name: string;
  to_name: string;
  priority: Priority;
  status: TaskStatus;
  content: string;
  context: string | null;
  result: string | null;
  attempt: number;
  ttl_seconds: number;
  created_at: Millis;
  delivered_at: Millis;
  started_at: Millis | null;
  completed_at: Millis | null;
  expires_at: Millis;
  acked_at: Millis | null;
  /** From the inbox message of the current attempt. */
  notified_at: Millis | null;
  fetched_at: Millis | null;
};

/** A task in REST, MCP and the event stream. */
export type TaskRecord = {
  task_id: string;
  from_name: string;
  to_name: string;
  priority: Priority;
  status: TaskStatus;
  content: string;
  result: string | null;
  created_at: string;
  delivered_at: string;
  started_at: string | null;
  completed_at: string | null;
  expires_at: string;
  network_id: string;
  attempt: number;
  context?: string;
  notified_at?: string;
  fetched_at?: string;
  acked_at?: string;
};

/** Throws the error of the interface if the task's status does not allow the verb. */
export function assertMay(task: { status: TaskStatus }, verb: Verb): void {
  if (!mayMove(task, verb)) throw verb === 'retry' ? taskNotRetryable(task.status) : taskIsTerminal(task.status);
}

export function taskRecord(task: Task): TaskRecord {
  return {
    task_id: task.task_id,
    from_name: task.from_name,
    to_name: task.to_name,
    priority: task.priority,
    status: task.status,
    content: task.content,
    result: task.result,
    created_at: timestamp(task.created_at),
    delivered_at: timestamp(task.delivered_at),
    started_at: timestampOrNull(task.started_at),
    completed_at: timestampOrNull(task.completed_at),
    expires_at: timestamp(task.expires_at),
    network_id: task.network_id,
    attempt: task.attempt,
    ...(task.context !== null && { context: task.context }),
    ...(task.notified_at !== null && { notified_at: timestamp(task.notified_at) }),
    ...(task.fetched_at !== null && { fetched_at: timestamp(task.fetched_at) }),
    ...(task.acked_at !== null && { acked_at: timestamp(task.acked_at) }),
  };
}

/** The moments of the current attempt in milliseconds since the epoch, which the record shows in seconds. */
export function taskMoments(task: Task) {
  const { delivered_at, notified_at, fetched_at, acked_at, started_at, completed_at } = task;
  return { delivered_at, notified_at, fetched_at, acked_at, started_at, completed_at };
}

/** Length of the content and the result in an outline: more than the console shows in a list. */
export const OUTLINE_CHARACTERS = 250;

/** A task with the beginning of its content and its result, without context. `is_outline` marks it. */
export type TaskOutline = TaskRecord & { is_outline: true };

export function taskOutline(task: Task): TaskOutline {
  const content = firstCharacters(task.content, OUTLINE_CHARACTERS);
  const result = task.result && firstCharacters(task.result, OUTLINE_CHARACTERS);
  return { ...taskRecord({ ...task, content, result, context: null }), is_outline: true };
}
