// ack_inbox: removes a message from the inbox. Acknowledging a task's message starts the task.
import * as v from 'valibot';
import { messageNotFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_TEXT } from '../../domain/limits.ts';
import type { Message } from '../../domain/message.ts';
import { timestamp } from '../../domain/time/time.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
import { operation } from '../operation.ts';
import { takeBytes } from '../quotas.ts';
import { publishSessionOf, recordHeartbeats } from '../sessions/presence.ts';
import { getByEitherId, startTask } from '../tasks/move-task.ts';

export const ackInbox = operation({
  name: 'ack_inbox',
  summary: 'Acknowledge a message; starts its task.',
  access: 'write',
  input: v.object({
    alias: fields.alias,
    message_id: fields.described(fields.name, 'id of the message'),
    response: v.optional(fields.text(MAX_TEXT)),
    network_id: fields.networkId,
  }),
  run: (hub, caller, request, { store }) =>
    store.write(async (tx) => {
      const message = await messages.findInInbox(tx, caller.network_id, request.alias, request.message_id);
      if (message === undefined) throw messageNotFound();
      const isFirst = message.acked_at === null;
      if (isFirst && request.response) takeBytes(hub, tx, caller.network_id, 1, request.response);
      await messages.markAcknowledged(tx, message.message_seq, request.response ?? null);
      const warning = await startTaskOf(tx, message);
      await recordHeartbeats(tx, [{ network_id: caller.network_id, alias: request.alias, at: tx.now }]);
      if (isFirst) await publishSessionOf(tx, caller.network_id, request.alias); // its inbox_count changed
      return { ok: true, ...(warning !== undefined && { warning }) };
    }),
});

/**
 * A message of an earlier attempt, or one acknowledged before, changes no task. Returns a warning if the task already
 * runs: another session under the same alias may have fetched it too.
 */
async function startTaskOf(tx: Transaction, message: Message): Promise<string | undefined> {
  if (message.type !== 'task' || message.task_id === null) return undefined;
  const task = await getByEitherId(tx, message.network_id, message.task_id);
  if (task.attempt !== message.attempt) return undefined;
  if (task.status === 'delivered') await startTask(tx, task, message.alias);
  else if (task.status === 'running' && message.acked_at !== null) {
    const at = timestamp(message.acked_at);
    return `acknowledged before, at ${at}; if another session of ${message.alias} runs this task, leave it to that one and use a different alias`;
  }
  return undefined;
}
