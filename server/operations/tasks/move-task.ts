// The transitions of a task. Each writes the task and its task event, which is also the stream's `task` event, in one
// transaction. The table in domain/task-status.ts defines which transitions are allowed.
import { taskNotFound } from '../../domain/errors.ts';
import { assertMay, type Task } from '../../domain/task.ts';
import type { TaskStatus, Verb } from '../../domain/task-status.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as tasks from '../../store/tasks.ts';
import { publishSessionOf } from '../sessions/presence.ts';

/** Returns the task by its id or the id of one of its messages. */
export async function getByEitherId(tx: Transaction, networkId: string, id: string): Promise<Task> {
  const task = await tasks.findByEitherId(tx, networkId, id);
  if (task === undefined) throw taskNotFound();
  return task;
}

type Moved = { to: TaskStatus; by: string; detail?: string | null; changes?: Partial<Task> };

async function move(tx: Transaction, task: Task, verb: Verb, moved: Moved): Promise<Task> {
  assertMay(task, verb);
  const after: Task = { ...task, ...moved.changes, status: moved.to };
  await tasks.update(tx, after, task.status);
  tx.record({ task: after, from_status: task.status, actor: moved.by, detail: moved.detail ?? null });
  countMove(tx, moved.to, 1);
  return after;
}

/** Counts transitions for the metrics. */
export function countMove(tx: Transaction, to: TaskStatus, tasksMoved: number): void {
  if (to !== 'delivered') tx.count(to === 'running' ? 'started' : 'settled', tasksMoved);
}

/** delivered → running. */
export function startTask(tx: Transaction, task: Task, by: string): Promise<Task> {
  return move(tx, task, 'start', {
    to: 'running',
    by,
    changes: { started_at: tx.now, acked_at: task.acked_at ?? tx.now },
  });
}

type Ending = { verb: 'reply' | 'complete' | 'cancel'; to: TaskStatus; by: string; result: string | null };

/** A live task → replied, failed or cancelled; its message leaves the inbox. */
export async function endTask(tx: Transaction, task: Task, { verb, to, by, result }: Ending): Promise<Task> {
  const ended = await move(tx, task, verb, { to, by, changes: { result, completed_at: tx.now } });
  await withdrawAttempt(tx, task);
  return ended;
}

async function withdrawAttempt(tx: Transaction, task: Task): Promise<void> {
  const { changes } = await messages.withdrawAttempt(tx, task.task_seq);
  if (changes > 0) await publishSessionOf(tx, task.network_id, task.to_name);
}

const RESET = { started_at: null, acked_at: null, notified_at: null, fetched_at: null } as const;

/** A live task → delivered to another alias, as its next attempt. Its expiry does not change. */
export async function redirectTask(tx: Transaction, task: Task, by: string, newAlias: string): Promise<Task> {
  const changes = { ...RESET, to_name: newAlias, attempt: task.attempt + 1, delivered_at: tx.now };
  const moved = await move(tx, task, 'reassign', {
    to: 'delivered',
    by,
    detail: `${task.to_name} → ${newAlias}`,
    changes,
  });
  await withdrawAttempt(tx, task);
  return moved;
}

/** A failed, cancelled or expired task → delivered again to an alias, as its next attempt, with its original ttl. */
export async function redeliverTask(tx: Transaction, task: Task, by: string, to: string): Promise<Task> {
  const changes = {
    ...RESET,
    to_name: to,
    result: null,
    completed_at: null,
    attempt: task.attempt + 1,
    delivered_at: tx.now,
    expires_at: tx.now + task.ttl_seconds * SECOND_MS,
  };
  const route = to === task.to_name ? '' : `, ${task.to_name} → ${to}`;
  const detail = `attempt ${changes.attempt}${route}`;
  const moved = await move(tx, task, 'retry', { to: 'delivered', by, detail, changes });
  await withdrawAttempt(tx, task);
  return moved;
}
