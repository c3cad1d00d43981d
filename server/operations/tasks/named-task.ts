// Resolves the task an agent refers to: by task_id, by the id of one of its messages, or by its exact content.
import { attemptSuperseded } from '../../domain/errors.ts';
import type { Task } from '../../domain/task.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as tasks from '../../store/tasks.ts';

/**
 * Returns the task that `words` name among those addressed to this alias: by its task_id, by the message id of its
 * current attempt, or by its exact content if only one live task has it. Undefined if there is no such task.
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
 * Returns the task a reply refers to, or undefined if the id is not a task's. An earlier attempt, or a reply by a
 * former assignee, throws `task is terminal`, so that a late worker cannot overwrite its successor.
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
  if (isLate) throw attemptSuperseded();
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
