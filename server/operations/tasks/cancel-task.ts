// cancel_task: cancels a live task and notifies its assignee.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_REASON } from '../../domain/limits.ts';
import { deliverCancel } from '../messages/deliver.ts';
import { operation } from '../operation.ts';
import { countBytes } from '../quotas.ts';
import { endTask, getByEitherId } from './move-task.ts';

export const cancelTask = operation({
  name: 'cancel_task',
  summary: 'Cancel a task.',
  access: 'write',
  input: v.object({
    task_id: fields.taskId,
    reason: v.optional(fields.text(MAX_REASON)),
    from_session: fields.actor,
    network_id: fields.networkId,
  }),
  run: (hub, caller, request, { store }) =>
    store.write(async (tx) => {
      const task = await getByEitherId(tx, caller.network_id, request.task_id);
      const by = request.from_session;
      await endTask(tx, task, { verb: 'cancel', to: 'cancelled', by, result: request.reason ?? null });
      await deliverCancel(hub, tx, task, by, request.reason || 'this task was cancelled; stop working on it');
      countBytes(hub, tx, task.network_id, by, request.reason);
      return { ok: true, task_id: task.task_id, cancelled: true };
    }),
});
