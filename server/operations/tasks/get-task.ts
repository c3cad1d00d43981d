// get_task: returns a task by its id or by the id of one of its messages.
import * as v from 'valibot';
import { taskNotFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { type Task, taskRecord } from '../../domain/task.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as tasks from '../../store/tasks.ts';
import { operation } from '../operation.ts';
import { readTasks } from '../write-behind.ts';

export const getTask = operation({
  name: 'get_task',
  summary: 'Show a task.',
  access: 'read',
  input: v.object({ task_id: fields.taskId, network_id: fields.networkId }),
  run: async (hub, caller, request, { store }) => {
    const task = await readTasks(hub, store, (reader) => getInAny(reader, caller.networks, request.task_id));
    return { ok: true, task: taskRecord(task) };
  },
});

/** Returns the task with this id, or with a message of this id, in one of the networks. */
export async function getInAny(reader: Reader, networks: readonly string[], id: string): Promise<Task> {
  for (const network of networks) {
    const task = await tasks.findByEitherId(reader, network, id);
    if (task !== undefined) return task;
  }
  throw taskNotFound();
}
