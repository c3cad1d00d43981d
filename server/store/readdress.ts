// Tasks and messages that follow a session to its new alias, a portion at a time.
import { OUTLINE_CHARACTERS, type Task } from '../domain/task.ts';
import { placeholders } from './engine/placeholders.ts';
import type { Transaction } from './engine/transaction.ts';
import { DONE, PENDING } from './messages.ts';
import { SELECTED, SOURCE } from './tasks.ts';

type Rename = { network_id: string; from: string; to: string };

/** What an outline shows: converting a hundred whole texts to strings takes 50 ms. */
const OUTLINED = SELECTED.replace('t.content', `substr(t.content, 1, ${OUTLINE_CHARACTERS}) AS content`).replace('t.context', 'NULL AS context');

/**
 * Gives live tasks that an alias was assigned (`to_name`) or has sent (`from_name`) its new alias, at most `limit` at a time.
 * Returns outlines of them as they were.
 */
export async function readdressTasks(tx: Transaction, column: 'to_name' | 'from_name', { network_id, from, to }: Rename, limit: number): Promise<Task[]> {
  const followers = await tx.all<Task>(
    `SELECT ${OUTLINED} FROM ${SOURCE} WHERE t.network_seq = ? AND t.${column} = ? AND t.completed_at IS NULL LIMIT ?`,
    [tx.networkSeq(network_id), from, limit],
  );
  const seqs = followers.map(({ task_seq }) => task_seq);
  if (seqs.length > 0) await tx.run(`UPDATE tasks SET ${column} = ? WHERE task_seq IN (${placeholders(seqs)})`, [to, ...seqs]);
  return followers;
}

/**
 * What waits for an alias follows when its session takes a new one, and so does every attempt it was ever given: a former
 * assignee stays one under its new name. Moves what waits first, then looks at messages that do not wait, behind number `after`;
 * `limit` at a time. Returns the number to go on after, or undefined at the end.
 */
export async function readdressMessages(tx: Transaction, rename: Rename, after: number, limit: number): Promise<number | undefined> {
  const { network_id, from, to } = rename;
  const waiting = await tx.run(
    `UPDATE messages SET alias = ? WHERE message_seq IN
       (SELECT m.message_seq FROM messages m WHERE m.network_seq = ? AND m.alias = ? AND ${PENDING} LIMIT ?)`,
    [to, tx.networkSeq(network_id), from, limit],
    'inboxes',
  );
  return waiting.changes === limit ? after : readdressDone(tx, rename, after, limit);
}

async function readdressDone(tx: Transaction, { network_id, from, to }: Rename, after: number, limit: number): Promise<number | undefined> {
  const looked = await tx.all<{ seq: number; type: string }>(
    `SELECT m.message_seq AS seq, m.type FROM messages m WHERE m.network_seq = ? AND m.alias = ? AND ${DONE} AND m.message_seq > ?
     ORDER BY m.message_seq LIMIT ?`,
    [tx.networkSeq(network_id), from, after, limit],
  );
  const attempts = looked.filter(({ type }) => type === 'task').map(({ seq }) => seq);
  if (attempts.length > 0) await tx.run(`UPDATE messages SET alias = ? WHERE message_seq IN (${placeholders(attempts)})`, [to, ...attempts], 'inboxes');
  return looked.length < limit ? undefined : looked.at(-1)?.seq;
}

/** The attempts of tasks that it has now. */
export async function readdressAttempts(tx: Transaction, { from, to }: Rename, taskSeqs: readonly number[]): Promise<void> {
  await tx.run(`UPDATE messages SET alias = ? WHERE task_seq IN (${placeholders(taskSeqs)}) AND type = 'task' AND alias = ?`, [to, ...taskSeqs, from], 'inboxes');
}
