// read_messages: acknowledges mail to the caller as a person, who reads it in the console instead of an inbox call, and
// mail to `hub`, which is for everybody.
import * as v from 'valibot';
import type { NetworkWriter } from '../../domain/accounts/caller.ts';
import { invalidInput, messageNotFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import type { Message } from '../../domain/message.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import { operation } from '../operation.ts';
import { publishSessionOf } from '../sessions/presence.ts';

const MAX_READ = 100;

const messageIds = v.pipe(
  v.array(fields.name, 'must be an array of strings'),
  v.check((ids) => ids.length <= MAX_READ, `must have at most ${MAX_READ} items`),
  v.metadata({ maxItems: MAX_READ }),
);

export const readMessages = operation({
  name: 'read_messages',
  summary: 'Mark messages to yourself or to `hub` as read.',
  access: 'write',
  input: v.object({
    message_ids: fields.described(messageIds, 'ids of messages that are not tasks'),
    network_id: fields.networkId,
  }),
  run: (_hub, caller, request, { store }) =>
    store.write(async (tx) => {
      const found: Message[] = [];
      for (const id of new Set(request.message_ids)) found.push(await getOwn(tx, caller, id));
      const unread = found.filter(({ acked_at, withdrawn_at }) => acked_at === null && withdrawn_at === null);
      for (const { message_seq } of unread) await messages.markAcknowledged(tx, message_seq, null);
      for (const alias of new Set(unread.map((message) => message.alias)))
        await publishSessionOf(tx, caller.network_id, alias);
      return { ok: true, read: unread.length };
    }),
});

async function getOwn(tx: Transaction, { network_id, username }: NetworkWriter, id: string): Promise<Message> {
  const message = await messages.findById(tx, network_id, id);
  if (message === undefined || (message.alias !== username && message.alias !== 'hub')) throw messageNotFound();
  if (message.type === 'task') throw invalidInput(`message_ids: ${id} is a task; acknowledge it with ack_inbox`);
  return message;
}
