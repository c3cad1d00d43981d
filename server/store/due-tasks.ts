// Tasks past their expiry. A delivered task expires at expires_at; a running one only if its assignee is also
// offline or unknown, since the ttl limits the wait for a start and the heartbeat limits the work. A task with an
// online assignee is marked `overtime`, so that it is not checked repeatedly; the schema clears the mark when the
// assignee goes offline.
import type { Task } from '../domain/task.ts';
import type { Millis } from '../domain/time/clock.ts';
import { placeholders } from './engine/placeholders.ts';
import type { Reader, Transaction } from './engine/transaction.ts';
import { SELECTED, SOURCE } from './tasks.ts';

const DELIVERED = "t.network_seq = ?1 AND t.status = 'delivered'";
const RUNNING = "t.network_seq = ?1 AND t.status = 'running' AND t.overtime = 0";
const IS_DUE = 't.expires_at <= ?2';
const IS_ATTENDED = `EXISTS (SELECT 1 FROM sessions s
  WHERE s.network_seq = t.network_seq AND s.alias = t.to_name AND s.marked_offline = 0 AND s.status <> 'offline')`;

/**
 * Whether any task of the network is due to expire. Only the oldest expiry is looked at: for any task that is due,
 * PostgreSQL reads all that are not, and for `min`, all tasks while its statistics say that there are few.
 */
export async function areAny(reader: Reader, networkId: string): Promise<boolean> {
  const oldest = await reader.first<{ delivered: Millis | null; running: Millis | null }>(
    `SELECT (SELECT t.expires_at FROM tasks t WHERE ${DELIVERED} ORDER BY t.expires_at LIMIT 1) AS delivered,
       (SELECT t.expires_at FROM tasks t WHERE ${RUNNING} ORDER BY t.expires_at LIMIT 1) AS running`,
    [reader.networkSeq(networkId)],
  );
  return [oldest?.delivered, oldest?.running].some((due) => due != null && due <= reader.now);
}

export type DueTask = Task & { is_attended: 0 | 1 };

/** Lists at most `limit` tasks that are due, oldest expiry first. Silent sessions must be marked offline first. */
export function list(reader: Reader, networkId: string, limit: number): Promise<DueTask[]> {
  return reader.all(
    `SELECT * FROM (SELECT ${SELECTED}, 0 AS is_attended, t.expires_at AS due FROM ${SOURCE} WHERE ${DELIVERED} AND ${IS_DUE} ORDER BY due LIMIT ?3) first_delivered
     UNION ALL
     SELECT * FROM (SELECT ${SELECTED}, CASE WHEN ${IS_ATTENDED} THEN 1 ELSE 0 END AS is_attended, t.expires_at AS due FROM ${SOURCE} WHERE ${RUNNING} AND ${IS_DUE} ORDER BY due LIMIT ?3) first_running
     LIMIT ?3`,
    [reader.networkSeq(networkId), reader.now, limit],
  );
}

export async function markExpired(tx: Transaction, seqs: readonly number[]): Promise<void> {
  await tx.run(
    `UPDATE tasks SET status = 'expired', completed_at = ? WHERE task_seq IN (${placeholders(seqs)})`,
    [tx.now, ...seqs],
    'task_counts',
  );
}

/** Marks running tasks that are past their expiry while their assignees are online. */
export async function markOvertime(tx: Transaction, seqs: readonly number[]): Promise<void> {
  await tx.run(`UPDATE tasks SET overtime = 1 WHERE task_seq IN (${placeholders(seqs)})`, seqs);
}
