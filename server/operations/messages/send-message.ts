// send_message: sends display-only text to an agent. As an answer to a task or message, it settles nothing.
import * as v from 'valibot';
import { taskNotFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as tasks from '../../store/tasks.ts';
import { operation } from '../operation.ts';
import { assertInboxHasRoom, takeBytes } from '../quotas.ts';
import { type Answered, priorityFor } from './awaited.ts';
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
      const answered = await findAnswered(tx, caller.network_id, request.in_reply_to);
      const [recipient] = await Promise.all([
        findRecipient(tx, caller.network_id, to),
        assertInboxHasRoom(hub, tx, caller.network_id, to),
      ]);
      takeBytes(hub, tx, caller.network_id, 1, text);
      const message = await deliver(tx, {
        id: hub.ids.next('msg'),
        network_id: caller.network_id,
        alias: to,
        type: 'message',
        priority: priorityFor(to, recipient, answered),
        content: text,
        from_session: from,
        in_reply_to: answered.task?.task_id ?? request.in_reply_to ?? null,
      });
      return { ok: true, ...receipt(message, recipient) };
    });
  },
});

async function findAnswered(tx: Transaction, networkId: string, id: string | undefined): Promise<Answered> {
  if (id === undefined) return {};
  const task = await tasks.findByEitherId(tx, networkId, id);
  const message = task === undefined ? await messages.findById(tx, networkId, id) : undefined;
  if (task === undefined && message === undefined) throw taskNotFound();
  return { task, message };
}
