// broadcast: one message into the inbox of every online agent of the network but the sender.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import * as sessions from '../../store/sessions.ts';
import { operation } from '../operation.ts';
import { deliverToAll } from './deliver.ts';
import { sendOnce } from './send-once.ts';

export const broadcast = operation({
  name: 'broadcast',
  summary: 'Message all online agents.',
  access: 'write',
  input: v.object({
    content: fields.longText,
    from_session: fields.fromSession,
    network_id: fields.networkId,
    idempotency_key: fields.idempotencyKey,
  }),
  run: (hub, caller, request) => {
    const { from_session: from, content: text } = request;
    return sendOnce(hub, caller, { operation: 'broadcast', input: request, from, to: '*', text }, async (tx) => {
      const recipients = await sessions.listOnlineAliases(tx, caller.network_id, from);
      await deliverToAll(tx, recipients.map(({ alias }) => ({
        id: hub.ids.next('msg'), network_id: caller.network_id, alias, type: 'broadcast', content: text, from_session: from,
      })));
      return { ok: true, delivered_count: recipients.length };
    });
  },
});
