// send_message: sends display-only text to an agent. As an answer to a task or message, it settles nothing.
import * as v from 'valibot';
import { taskNotFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as tasks from '../../store/tasks.ts';
import { operation } from '../operation.ts';
import { assertInboxHasRoom, takeBytes } from '../quotas.ts';
import { deliver, findRecipient, receipt } from './deliver.ts';
import { sendOnce } from './send-once.ts';

export const sendMessage = operation({
  name: 'send_message',
  summary: 'Send a message.',
  access: 'write',
  input: v.object({
    alias: fields.targetAlias,
    message: fields.longText,
    in_reply_to: v.optional(fields.name),
    from_session: fields.fromSession,
    network_id: fields.networkId,
    idempotency_key: fields.idempotencyKey,
  }),
  run: (hub, caller, request, { store }) => {
    const { alias: to, from_session: from, message: text } = request;
    const send = { operation: 'send_message', input: request, from, to, text, isDelivery: true } as const;
    return sendOnce(hub, store, caller, send, async (tx) => {
      const in_reply_to = await answeredBy(tx, caller.network_id, request.in_reply_to);
      const [recipient] = await Promise.all([
        findRecipient(tx, caller.network_id, to),
        assertInboxHasRoom(hub, tx, caller.network_id, to),
      ]);
      takeBytes(hub, tx, caller.network_id, 1, text);
      const message = await deliver(tx, {
        id: hub.ids.next('msg'),
        network_id: caller.network_id,
        alias: request.alias,
        type: 'message',
        content: request.message,
        from_session: request.from_session,
        in_reply_to,
      });
      return { ok: true, ...receipt(message, recipient) };
    });
  },
});

/** Returns the id of the task, or of the message, that is answered. */
async function answeredBy(tx: Transaction, networkId: string, id: string | undefined): Promise<string | null> {
  if (id === undefined) return null;
  const task = await tasks.findByEitherId(tx, networkId, id);
  if (task !== undefined) return task.task_id;
  if ((await messages.findById(tx, networkId, id)) === undefined) throw taskNotFound();
  return id;
}
