// retry_task: delivers a failed, cancelled or expired task again as the next attempt, to its assignee or another agent.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { assertMay } from '../../domain/task.ts';
import { deliverTask } from '../messages/deliver.ts';
import { operation } from '../operation.ts';
import { assertInboxHasRoom, takeBytes } from '../quotas.ts';
import { getByEitherId, redeliverTask } from './move-task.ts';

export const retryTask = operation({
  name: 'retry_task',
  summary: 'Retry an unsuccessful task.',
  access: 'write',
  input: v.object({
    task_id: fields.taskId,
    new_alias: v.optional(fields.described(fields.targetAlias, 'retry on another agent')),
    from_session: fields.actor,
    network_id: fields.networkId,
  }),
  run: (hub, caller, request, { store }) =>
    store.write(async (tx) => {
      const task = await getByEitherId(tx, caller.network_id, request.task_id);
      assertMay(task, 'retry');
      const { new_alias: to = task.to_name } = request;
      await assertInboxHasRoom(hub, tx, task.network_id, to);
      // The reply to the retried task is always delivered to its sender, so the sender needs room too. The inbox of
      // `hub` has no reader and is exempt.
      if (task.from_name !== 'hub') await assertInboxHasRoom(hub, tx, task.network_id, task.from_name);
      takeBytes(hub, tx, task.network_id, 1, request.from_session, request.new_alias);
      const retried = await redeliverTask(tx, task, request.from_session, to);
      await deliverTask(tx, retried, hub.ids.next('msg'));
      return { ok: true, task_id: task.task_id, retried_to: retried.to_name };
    }),
});
