// Finds the task that an agent's words mean: by task_id, by a message id of it, or by its exact content.
import { attemptTakenBack } from '../../domain/errors.ts';
import type { Task } from '../../domain/task.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as tasks from '../../store/tasks.ts';

/**
 * The task that `words` name among those addressed to this alias: its task_id, the message id of its present attempt,
 * or exactly the content of one and only one live task. Undefined when they name none.
 */
export async function findNamedTask(
  tx: Transaction,
  networkId: string,
  alias: string,
  words: string,
): Promise<Task | undefined> {
  const named = await tasks.findByEitherId(tx, networkId, words);
  if (named !== undefined)
    return named.to_name === alias && (await isPresentAttempt(tx, named, words)) ? named : undefined;
  const [only, ...others] = await tasks.findLiveByContent(tx, networkId, alias, words);
  return only === undefined || others.length > 0 ? undefined : only;
}

/**
 * The task a reply refers to, or undefined when the id is no task's. Naming an attempt that was taken back, or the
 * task as a former assignee, is `task is terminal`: a late worker cannot overwrite its successor.
 */
export async function findRepliedTask(
  tx: Transaction,
  networkId: string,
  id: string,
  from: string,
): Promise<Task | undefined> {
  const task = await tasks.findByEitherId(tx, networkId, id);
  if (task === undefined) return undefined;
  const isLate = id === task.task_id ? await isFormerAssignee(tx, task, from) : !(await isPresentAttempt(tx, task, id));
  if (isLate) throw attemptTakenBack();
  return task;
}

async function isPresentAttempt(tx: Transaction, task: Task, id: string): Promise<boolean> {
  if (id === task.task_id) return true;
  const message = await messages.findById(tx, task.network_id, id);
  return message?.attempt === task.attempt;
}

async function isFormerAssignee(tx: Transaction, task: Task, from: string): Promise<boolean> {
  return from !== task.to_name && (await messages.wasAssigned(tx, task.task_seq, from));
}
