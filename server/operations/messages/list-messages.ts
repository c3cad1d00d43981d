// Lists the messages of a network or of one inbox, including acknowledged ones.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_NAME, MAX_REST_LIMIT } from '../../domain/limits.ts';
import { MESSAGE_TYPES, messageRecord } from '../../domain/message.ts';
import * as messages from '../../store/messages.ts';
import { operation } from '../operation.ts';
import { numbered, readPage, withCut } from '../page.ts';
import { inSlices, openTimeLimit } from '../slices.ts';

export const listMessages = operation({
  name: 'list_messages',
  summary: 'List inbox messages, newest first, including acknowledged ones.',
  access: 'read',
  input: v.object({
    alias: v.optional(fields.alias),
    from_session: v.optional(fields.described(fields.name, 'sender')),
    pending: v.optional(fields.described(fields.yesOrNo, 'whether the message is unacknowledged')),
    text: v.optional(fields.described(fields.text(MAX_NAME, 1), 'part of the content')),
    type: v.optional(fields.oneOf(MESSAGE_TYPES)),
    without_tasks: v.optional(fields.described(fields.yesOrNo, 'whether to leave out messages of type task')),
    partial: fields.partial,
    network_id: fields.networkId,
    cursor: fields.cursor,
    limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT),
  }),
  run: async (hub, caller, request, context) => {
    const scope = { networks: caller.networks, cursors: numbered(hub, 'messages') };
    const timeLimit = request.partial === true ? openTimeLimit() : undefined;
    const read = inSlices(context, (reader, slice) => messages.listSlice(reader, request, slice), {
      timeLimit,
      text: request.text,
    });
    const { items, ...page } = await readPage(scope, request, read);
    return { ok: true, messages: items.map(messageRecord), ...withCut(scope, page, timeLimit?.cutAt) };
  },
});
