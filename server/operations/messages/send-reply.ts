// send_reply: answers a task and so settles it; without a task it is a plain reply.
import * as v from 'valibot';
import { taskNotFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { OUTCOMES, type Outcome } from '../../domain/task.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/database.ts';
import * as messages from '../../store/messages.ts';
import { operation } from '../operation.ts';
import { endTask } from '../tasks/move-task.ts';
import { findRepliedTask } from '../tasks/named-task.ts';
import { deliver, findAddressee, receipt } from './deliver.ts';

export const sendReply = operation({
  name: 'send_reply',
  summary: "Reply to a task and settle it; in_reply_to is the task's id. Wakes nobody.",
  access: 'write',
  input: v.object({
    alias: fields.targetAlias,
    text: fields.longText,
    in_reply_to: v.optional(fields.described(fields.name, 'task or message id')),
    status: v.optional(fields.oneOf(OUTCOMES), 'replied'),
    from_session: fields.fromSession,
    network_id: fields.networkId,
  }),
  run: (hub, caller, request) =>
    hub.store.write(async (tx) => {
      const addressee = await findAddressee(hub, tx, caller.network_id, request.alias);
      const link = await settle(hub, tx, caller.network_id, request);
      const message = await deliver(tx, {
        id: hub.ids.next('msg'), network_id: caller.network_id, alias: request.alias, type: 'reply', content: request.text,
        from_session: request.from_session, status: request.status, ...link,
      }, addressee.pending);
      return { ok: true, ...receipt(message, addressee) };
    }),
});

type Reply = { in_reply_to?: string | undefined; from_session: string; text: string; status: Outcome };
type Link = { in_reply_to: string | null; task_id: string | null; attempt: number | null };

/** Settles the task that the reply names, if it names one; answers what the reply message links to. */
async function settle(hub: Hub, tx: Transaction, networkId: string, reply: Reply): Promise<Link> {
  const { in_reply_to: id, from_session: by } = reply;
  if (id === undefined) return { in_reply_to: null, task_id: null, attempt: null };
  const task = await findRepliedTask(hub, tx, networkId, id, by);
  if (task !== undefined) {
    await endTask(tx, task, { verb: 'reply', to: reply.status, by, result: reply.text });
    return { in_reply_to: task.task_id, task_id: task.task_id, attempt: task.attempt };
  }
  if ((await messages.findById(tx, networkId, id)) === undefined) throw taskNotFound();
  return { in_reply_to: id, task_id: null, attempt: null };
}
