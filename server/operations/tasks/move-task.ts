// The moves of a task, each written in one transaction with its row of the ledger, which is the stream's `task` event.
// What may follow what is the table in domain/task.ts.
import { taskNotFound } from '../../domain/errors.ts';
import { assertMay, type Task, type TaskStatus, type Verb } from '../../domain/task.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as tasks from '../../store/tasks.ts';
import { publishSessionOf } from '../sessions/presence.ts';

/** The task by its id or a message id of it. */
export async function getTask(tx: Transaction, networkId: string, id: string): Promise<Task> {
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

/** Counts tasks that moved, for the metrics. */
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

const AFRESH = { started_at: null, acked_at: null, notified_at: null, fetched_at: null } as const;

/** A live task → delivered to another alias, as its next attempt; its end does not move. */
export async function reassignTask(tx: Transaction, task: Task, by: string, newAlias: string): Promise<Task> {
  const changes = { ...AFRESH, to_name: newAlias, attempt: task.attempt + 1, delivered_at: tx.now };
  const moved = await move(tx, task, 'reassign', {
    to: 'delivered',
    by,
    detail: `${task.to_name} → ${newAlias}`,
    changes,
  });
  await withdrawAttempt(tx, task);
  return moved;
}

/** A task that did not succeed → delivered again, as its next attempt, with its original ttl. */
export async function retryTask(tx: Transaction, task: Task, by: string): Promise<Task> {
  const changes = {
    ...AFRESH,
    result: null,
    completed_at: null,
    attempt: task.attempt + 1,
    delivered_at: tx.now,
    expires_at: tx.now + task.ttl_seconds * SECOND_MS,
  };
  const moved = await move(tx, task, 'retry', { to: 'delivered', by, detail: `attempt ${changes.attempt}`, changes });
  await withdrawAttempt(tx, task);
  return moved;
}
