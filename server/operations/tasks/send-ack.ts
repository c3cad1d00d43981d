// send_ack: acknowledges a task without removing its message from the inbox, and starts the task.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { assertMay } from '../../domain/task.ts';
import { operation } from '../operation.ts';
import { getByEitherId, startTask } from './move-task.ts';

export const sendAck = operation({
  name: 'send_ack',
  summary: 'Start a task; its message stays.',
  access: 'write',
  input: v.object({ task_id: fields.taskId, from_session: fields.actor, network_id: fields.networkId }),
  run: (_hub, caller, request, { store }) =>
    store.write(async (tx) => {
      const task = await getByEitherId(tx, caller.network_id, request.task_id);
      if (task.status === 'running') return { ok: true, task_id: task.task_id, updated: 0 };
      assertMay(task, 'start');
      await startTask(tx, task, request.from_session);
      return { ok: true, task_id: task.task_id, updated: 1 };
    }),
});
