// send_message: sends display-only text to an agent.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { operation } from '../operation.ts';
import { assertInboxHasRoom, takeBytes } from '../quotas.ts';
import { deliver, findRecipient, receipt } from './deliver.ts';
import { sendOnce } from './send-once.ts';

export const sendMessage = operation({
  name: 'send_message',
  summary: 'Send a display-only message.',
  access: 'write',
  input: v.object({
    alias: fields.targetAlias,
    message: fields.longText,
    from_session: fields.fromSession,
    network_id: fields.networkId,
    idempotency_key: fields.idempotencyKey,
  }),
  run: (hub, caller, request, { store }) => {
    const { alias: to, from_session: from, message: text } = request;
    return sendOnce(hub, store, caller, { operation: 'send_message', input: request, from, to, text }, async (tx) => {
      const recipient = await findRecipient(tx, caller.network_id, request.alias);
      assertInboxHasRoom(hub, tx, caller.network_id, to);
      takeBytes(hub, tx, caller.network_id, 1, text);
      const message = await deliver(tx, {
        id: hub.ids.next('msg'),
        network_id: caller.network_id,
        alias: request.alias,
        type: 'message',
        content: request.message,
        from_session: request.from_session,
      });
      return { ok: true, ...receipt(message, recipient) };
    });
  },
});
