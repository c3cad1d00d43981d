// send_task: stores a task, its inbox message and its event in one transaction.
import * as v from 'valibot';
import type { NetworkWriter } from '../../domain/accounts/caller.ts';
import { licenseExpired } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import * as tasks from '../../store/tasks.ts';
import { deliverTask, findRecipient, receipt } from '../messages/deliver.ts';
import { sendOnce } from '../messages/send-once.ts';
import { operation } from '../operation.ts';
import { assertInboxHasRoom, takeBytes } from '../quotas.ts';

const input = v.object({
  alias: fields.targetAlias,
  task: fields.longText,
  priority: v.optional(fields.priority, 'normal'),
  context: fields.context,
  from_session: fields.fromSession,
  ttl_seconds: fields.ttlSeconds,
  network_id: fields.networkId,
  idempotency_key: fields.idempotencyKey,
});

export const sendTask = operation({
  name: 'send_task',
  summary: 'Send a task.',
  access: 'write',
  input,
  run: (hub, caller, request, { store }) => {
    const { alias: to, from_session: from, task: text } = request;
    assertLicensed(caller, hub.clock.now());
    const send = { operation: 'send_task', input: request, from, to, text, isDelivery: true } as const;
    return sendOnce(hub, store, caller, send, async (tx) => {
      const [recipient] = await Promise.all([
        findRecipient(tx, caller.network_id, to),
        assertInboxHasRoom(hub, tx, caller.network_id, to),
      ]);
      takeBytes(hub, tx, caller.network_id, 1, text, request.context);
      const task = await tasks.insert(tx, newTask(hub.ids.next('task'), caller.network_id, request, tx.now));
      tx.record({ task, from_status: null, actor: from, detail: null });
      const message = await deliverTask(tx, task, task.task_id);
      return { ok: true, task_id: task.task_id, ...receipt(message, recipient) };
    });
  },
});

function assertLicensed(caller: NetworkWriter, now: Millis): void {
  if (caller.trial_ends_at !== null && now >= caller.trial_ends_at) throw licenseExpired();
}

function newTask(id: string, networkId: string, request: v.InferOutput<typeof input>, now: Millis): tasks.NewTask {
  return {
    task_id: id,
    network_id: networkId,
    from_name: request.from_session,
    to_name: request.alias,
    priority: request.priority,
    status: 'delivered',
    content: request.task,
    context: request.context ?? null,
    result: null,
    attempt: 1,
    ttl_seconds: request.ttl_seconds,
    created_at: now,
    delivered_at: now,
    started_at: null,
    completed_at: null,
    expires_at: now + request.ttl_seconds * SECOND_MS,
    acked_at: null,
    notified_at: null,
    fetched_at: null,
  };
}
