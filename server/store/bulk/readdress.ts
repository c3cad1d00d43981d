// Moves the tasks and messages of a renamed session to its new alias, in portions.
import type { Task } from '../../domain/task.ts';
import { placeholders } from '../engine/placeholders.ts';
import type { Reader, Transaction } from '../engine/transaction.ts';
import { DONE, PENDING } from '../messages.ts';
import { OUTLINED, SOURCE } from '../tasks.ts';

type Rename = { network_id: string; from: string; to: string };

/**
 * Updates the alias of at most `limit` live tasks that it was assigned (`to_name`) or sent (`from_name`). Returns
 * outlines of the tasks before the change.
 */
export async function readdressTasks(
  tx: Transaction,
  column: 'to_name' | 'from_name',
  { network_id, from, to }: Rename,
  limit: number,
): Promise<Task[]> {
  const followers = await tx.all<Task>(
    `SELECT ${OUTLINED} FROM ${SOURCE} WHERE t.network_seq = ? AND t.${column} = ? AND t.completed_at IS NULL LIMIT ?`,
    [tx.networkSeq(network_id), from, limit],
  );
  const seqs = followers.map(({ task_seq }) => task_seq);
  if (seqs.length > 0)
    await tx.run(`UPDATE tasks SET ${column} = ? WHERE task_seq IN (${placeholders(seqs)})`, [to, ...seqs]);
  return followers;
}

/**
 * Moves messages to the new alias: pending ones, and every task attempt the session was ever assigned, so that a former
 * assignee is recognized under its new name. Moves pending messages first, then checks the others after number `after`,
 * `limit` at a time. Returns the number to continue after, or undefined at the end.
 */
export async function readdressMessages(
  tx: Transaction,
  rename: Rename,
  after: number,
  limit: number,
): Promise<number | undefined> {
  const { network_id, from, to } = rename;
  const waiting = await tx.run(
    `UPDATE messages SET alias = ? WHERE message_seq IN
       (SELECT m.message_seq FROM messages m WHERE m.network_seq = ? AND m.alias = ? AND ${PENDING} LIMIT ?)`,
    [to, tx.networkSeq(network_id), from, limit],
    'inboxes',
  );
  return waiting.changes === limit ? after : readdressDone(tx, rename, after, limit);
}

async function readdressDone(
  tx: Transaction,
  { network_id, from, to }: Rename,
  after: number,
  limit: number,
): Promise<number | undefined> {
  const looked = await tx.all<{ seq: number; type: string }>(
    `SELECT m.message_seq AS seq, m.type FROM messages m WHERE m.network_seq = ? AND m.alias = ? AND ${DONE} AND m.message_seq > ?
     ORDER BY m.message_seq LIMIT ?`,
    [tx.networkSeq(network_id), from, after, limit],
  );
  const attempts = looked.filter(({ type }) => type === 'task').map(({ seq }) => seq);
  if (attempts.length > 0)
    await tx.run(
      `UPDATE messages SET alias = ? WHERE message_seq IN (${placeholders(attempts)})`,
      [to, ...attempts],
      'inboxes',
    );
  return looked.length < limit ? undefined : looked.at(-1)?.seq;
}

/** Moves the current attempts of the given tasks. `readdressMessages` moves earlier ones, of which a task may have thousands. */
export async function readdressAttempts(
  tx: Transaction,
  { from, to }: Rename,
  taskSeqs: readonly number[],
): Promise<void> {
  await tx.run(
    `UPDATE messages SET alias = ? WHERE task_seq IN (${placeholders(taskSeqs)}) AND type = 'task' AND place = 0 AND alias = ?`,
    [to, ...taskSeqs, from],
    'inboxes',
  );
}

/** A session with a pending rename. */
export type Moving = { network_id: string; resume_id: string };

/** Records the target alias while the session's tasks and messages are being moved; null when all are moved. */
export async function setMoving(tx: Transaction, { network_id, resume_id }: Moving, to: string | null): Promise<void> {
  await tx.run(
    'UPDATE sessions SET moving_to = ?1 WHERE network_seq = ?2 AND resume_id = ?3 AND moving_to IS DISTINCT FROM ?1',
    [to, tx.networkSeq(network_id), resume_id],
  );
}

export async function findTarget(reader: Reader, { network_id, resume_id }: Moving): Promise<string | undefined> {
  const found = await reader.first<{ moving_to: string | null }>(
    'SELECT moving_to FROM sessions WHERE network_seq = ? AND resume_id = ?',
    [reader.networkSeq(network_id), resume_id],
  );
  return found?.moving_to ?? undefined;
}

export function listMoving(reader: Reader): Promise<Moving[]> {
  return reader.all(
    `SELECT n.network_id, s.resume_id FROM sessions s JOIN networks n ON n.network_seq = s.network_seq AND n.removed_at IS NULL
     WHERE s.moving_to IS NOT NULL ORDER BY s.session_seq LIMIT 100`,
  );
}
