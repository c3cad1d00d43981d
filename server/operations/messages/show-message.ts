// Returns a message by its id, for GET /api/messages/:id.
import * as v from 'valibot';
import { messageNotFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { type Message, messageRecord } from '../../domain/message.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import { operation } from '../operation.ts';

export const showMessage = operation({
  name: 'show_message',
  summary: 'Show a message.',
  access: 'read',
  input: v.object({ message_id: fields.name, network_id: fields.networkId }),
  run: async (_hub, caller, { message_id }, { store }) => {
    const message = await store.read((reader) => getInAny(reader, caller.networks, message_id));
    return { ok: true, message: messageRecord(message) };
  },
});

async function getInAny(reader: Reader, networks: readonly string[], id: string): Promise<Message> {
  for (const network of networks) {
    const message = await messages.findById(reader, network, id);
    if (message !== undefined) return message;
  }
  throw messageNotFound();
}
