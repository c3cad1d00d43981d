// What happened to each task, one row a move, written in the transaction of the move.
import type { TaskStatus } from '../domain/task.ts';
import type { Transaction } from './database.ts';

export type TaskEvent = {
  network_id: string;
  task_id: string;
  from_status: TaskStatus | null;
  to_status: TaskStatus;
  actor: string;
  detail: string | null;
};

export async function insert(tx: Transaction, event: TaskEvent): Promise<void> {
  await tx.run(
    'INSERT INTO task_events (network_id, task_id, from_status, to_status, actor, detail, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [event.network_id, event.task_id, event.from_status, event.to_status, event.actor, event.detail, tx.now],
  );
}
