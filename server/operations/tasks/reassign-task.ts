// reassign_task: moves a live task to another agent and notifies the previous one.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { assertMay } from '../../domain/task.ts';
import { deliverCancel, deliverTask } from '../messages/deliver.ts';
import { operation } from '../operation.ts';
import { assertInboxHasRoom, takeBytes } from '../quotas.ts';
import { getByEitherId, redirectTask } from './move-task.ts';

export const reassignTask = operation({
  name: 'reassign_task',
  summary: 'Reassign a task.',
  access: 'write',
  input: v.object({
    task_id: fields.taskId,
    new_alias: fields.targetAlias,
    from_session: fields.actor,
    network_id: fields.networkId,
  }),
  run: (hub, caller, request, { store }) =>
    store.write(async (tx) => {
      const task = await getByEitherId(tx, caller.network_id, request.task_id);
      assertMay(task, 'reassign');
      if (request.new_alias !== task.to_name) await assertInboxHasRoom(hub, tx, task.network_id, request.new_alias);
      takeBytes(hub, tx, task.network_id, 1, request.from_session, request.new_alias);
      const moved = await redirectTask(tx, task, request.from_session, request.new_alias);
      await deliverTask(tx, moved, hub.ids.next('msg'));
      if (request.new_alias !== task.to_name)
        await deliverCancel(
          hub,
          tx,
          task,
          request.from_session,
          `this task was reassigned to ${request.new_alias}; stop working on it`,
        );
      return {
        ok: true,
        task_id: task.task_id,
        reassigned_from: task.to_name,
        reassigned_to: request.new_alias,
        ...(moved.expires_at <= tx.now && { warning: PAST_EXPIRY }),
      };
    }),
});

// Reassigning does not change the expiry, and only a running task can be past it.
const PAST_EXPIRY =
  'this task is past its expiry and will expire before it can start; retry_task delivers it again with a new ttl';
