// What follows an agent to its new alias: its live tasks, those it sent, and what waits in its inbox. It moves in portions, a
// commit to each, so that nobody waits for thousands; the session itself takes its new name last, in the commit of the last
// portion. An agent whose report fails half way reports again, and the rest follows.
import { taskOutline, type Task } from '../../domain/task.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import { readdressAttempts, readdressMessages, readdressTasks } from '../../store/readdress.ts';

/** Each rewrites a row that may hold 40 KB of text. */
const TASKS_AT_ONCE = 50;
const MESSAGES_AT_ONCE = 100;

/** What senders are called who give no name: what they sent is not one agent's. */
const ANYBODY = 'hub';

export type Rename = { network_id: string; from: string; to: string };

/** Moves a portion of what follows. Returns the number of the message to go on after, or undefined when all has moved. */
export async function moveAlong(tx: Transaction, rename: Rename, after: number): Promise<number | undefined> {
  if ((await moveAssigned(tx, rename)) === TASKS_AT_ONCE) return after;
  if (rename.from !== ANYBODY && (await moveSent(tx, rename)) === TASKS_AT_ONCE) return after;
  return readdressMessages(tx, rename, after, MESSAGES_AT_ONCE);
}

/** A task and its messages move together, so that a reply is from its assignee under either name. */
async function moveAssigned(tx: Transaction, rename: Rename): Promise<number> {
  const moved = await readdressTasks(tx, 'to_name', rename, TASKS_AT_ONCE);
  if (moved.length > 0) await readdressAttempts(tx, rename, moved.map(({ task_seq }) => task_seq));
  moved.forEach((task) => publishOutline(tx, { ...task, to_name: rename.to }));
  return moved.length;
}

async function moveSent(tx: Transaction, rename: Rename): Promise<number> {
  const sent = await readdressTasks(tx, 'from_name', rename, TASKS_AT_ONCE);
  sent.forEach((task) => publishOutline(tx, { ...task, from_name: rename.to }));
  return sent.length;
}

/** Only names have changed: a thousand texts of twenty kilobytes would be written and sent for nothing. */
function publishOutline(tx: Transaction, task: Task): void {
  tx.publish({ network_id: task.network_id, alias: null, data: { type: 'task', ...taskOutline(task) } });
}
