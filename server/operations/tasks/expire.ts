// Expires tasks whose ttl ran out, except running tasks whose assignee is online.
import type { Task } from '../../domain/task.ts';
import * as dueTasks from '../../store/due-tasks.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import { publishSessionOf } from '../sessions/presence.ts';
import { countMove } from './move-task.ts';

/**
 * Expires at most `limit` due tasks of a network. Running tasks with an online assignee are marked as overtime and
 * expire when the assignee goes offline.
 */
export async function expireDue(
  tx: Transaction,
  networkId: string,
  limit: number,
): Promise<{ due: number; expired: number }> {
  const due = await dueTasks.list(tx, networkId, limit);
  const [attended, unattended] = [
    due.filter((task) => task.is_attended === 1),
    due.filter((task) => task.is_attended === 0),
  ];
  if (attended.length > 0)
    await dueTasks.markOvertime(
      tx,
      attended.map(({ task_seq }) => task_seq),
    );
  if (unattended.length > 0) await expire(tx, unattended);
  return { due: due.length, expired: unattended.length };
}

/** Live tasks → expired, hundreds per statement, since ten thousand may be due at the same moment. */
async function expire(tx: Transaction, overdue: readonly Task[]): Promise<void> {
  const seqs = overdue.map(({ task_seq }) => task_seq);
  await dueTasks.markExpired(tx, seqs);
  for (const task of overdue) {
    const expired: Task = { ...task, status: 'expired', completed_at: tx.now };
    tx.record({ task: expired, from_status: task.status, actor: 'hub', detail: 'ttl ran out' });
  }
  await messages.withdrawAttempts(tx, seqs);
  countMove(tx, 'expired', overdue.length);
  for (const { network_id, to_name } of distinctAssignees(overdue)) await publishSessionOf(tx, network_id, to_name);
}

function distinctAssignees(list: readonly Task[]): Task[] {
  return [...new Map(list.map((task) => [`${task.network_id} ${task.to_name}`, task])).values()];
}
