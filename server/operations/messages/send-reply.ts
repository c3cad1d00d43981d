// send_reply: replies to a task and settles it; without a task it is a plain reply.
import * as v from 'valibot';
import type { NetworkWriter } from '../../domain/accounts/caller.ts';
import { taskNotFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import type { Task } from '../../domain/task.ts';
import { OUTCOMES } from '../../domain/task-status.ts';
import type { Hub } from '../../hub.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import * as tasks from '../../store/tasks.ts';
import { operation } from '../operation.ts';
import { assertInboxHasRoom, countBytes, takeBytes } from '../quotas.ts';
import { endTask } from '../tasks/move-task.ts';
import { findRepliedTask } from '../tasks/named-task.ts';
import { type Answered, priorityFor } from './awaited.ts';
import { deliver, findRecipient, receipt } from './deliver.ts';
import { type Send, sendOnce } from './send-once.ts';

const input = v.object({
  alias: fields.targetAlias,
  text: fields.longText,
  in_reply_to: v.optional(fields.described(fields.name, 'task or message id')),
  status: v.optional(fields.oneOf(OUTCOMES), 'replied'),
  from_session: fields.fromSession,
  network_id: fields.networkId,
  idempotency_key: fields.idempotencyKey,
});

export const sendReply = operation({
  name: 'send_reply',
  summary: 'Reply; settles the task in_reply_to.',
  access: 'write',
  input,
  run: (hub, caller, request, { store }) => reply(hub, store, caller, request, request),
});

/** The same reply for POST /api/tasks/:id/reply. The recipient defaults to the task's sender. */
export const replyToTask = operation({
  name: 'reply_to_task',
  summary: 'Reply to a task and settle it.',
  access: 'write',
  input: v.object({
    ...v.omit(input, ['in_reply_to', 'alias']).entries,
    alias: v.optional(fields.targetAlias),
    task_id: fields.taskId,
  }),
  run: async (hub, caller, request, { store }) => {
    const { task_id: id, ...rest } = request;
    const alias = rest.alias ?? (await senderOf(store, caller, id));
    return reply(hub, store, caller, { ...rest, alias, in_reply_to: id }, request);
  },
});

async function senderOf(store: ScopedStore, caller: NetworkWriter, id: string): Promise<string> {
  const task = await store.read((reader) => tasks.findByEitherId(reader, caller.network_id, id));
  if (task === undefined) throw taskNotFound();
  return task.from_name;
}

type Request = v.InferOutput<typeof input>;

// The loop guard compares the task too, since the same words in reply to two tasks are two different replies.
function reply(hub: Hub, store: ScopedStore, caller: NetworkWriter, request: Request, given: Send['input']) {
  const { alias: to, from_session: from, text } = request;
  return sendOnce(
    hub,
    store,
    caller,
    { operation: 'send_reply', input: given, from, to, text: `${request.in_reply_to ?? ''} ${text}` },
    async (tx) => {
      const recipient = await findRecipient(tx, caller.network_id, to);
      const { task, message: answered } = await findAnswered(tx, caller.network_id, request);
      if (task === undefined) takeBytes(hub, tx, caller.network_id, 1, text);
      else countBytes(hub, tx, caller.network_id, text);
      // The sender of a task always receives the reply.
      if (task?.from_name !== to) await assertInboxHasRoom(hub, tx, caller.network_id, to);
      const link = await settle(tx, task, request);
      const message = await deliver(tx, {
        id: hub.ids.next('msg'),
        network_id: caller.network_id,
        alias: to,
        type: 'reply',
        // The reply to a task is its result, which the recipient may not wait for.
        priority: priorityFor(to, recipient, { message: answered }),
        content: text,
        from_session: from,
        status: request.status,
        ...link,
      });
      return { ok: true, ...receipt(message, recipient) };
    },
  );
}

type Link = { in_reply_to: string | null; task_id: string | null; task_seq: number | null; attempt: number | null };

const NO_TASK = { task_id: null, task_seq: null, attempt: null } as const;

type Named = Pick<Request, 'in_reply_to' | 'from_session'>;

/** Finds the task, or the message, that the reply refers to. */
async function findAnswered(
  tx: Transaction,
  networkId: string,
  { in_reply_to: id, from_session: by }: Named,
): Promise<Answered> {
  if (id === undefined) return {};
  const task = await findRepliedTask(tx, networkId, id, by);
  const message = task === undefined ? await messages.findById(tx, networkId, id) : undefined;
  if (task === undefined && message === undefined) throw taskNotFound();
  return { task, message };
}

/** Settles the task, if there is one. Returns the fields that link the reply message to it. */
async function settle(tx: Transaction, task: Task | undefined, reply: Request): Promise<Link> {
  if (task === undefined) return { in_reply_to: reply.in_reply_to ?? null, ...NO_TASK };
  await endTask(tx, task, { verb: 'reply', to: reply.status, by: reply.from_session, result: reply.text });
  return { in_reply_to: task.task_id, task_id: task.task_id, task_seq: task.task_seq, attempt: task.attempt };
}
