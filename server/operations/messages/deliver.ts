// Stores a message in an inbox and publishes its event in one transaction; and looks up the status of the recipient.
import { arrivalOf } from '../../domain/events.ts';
import type { Message, NewMessage } from '../../domain/message.ts';
import { isHalted, presentStatus, type SessionStatus } from '../../domain/session.ts';
import type { Task } from '../../domain/task.ts';
import { roughDuration } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as store from '../../store/messages.ts';
import * as sessions from '../../store/sessions.ts';

/** `isHalted` is true if it waits for input, is blocked or reports an error. */
export type Recipient = { session_status: SessionStatus | 'unknown'; warning?: string; isHalted?: boolean };

export async function findRecipient(tx: Transaction, networkId: string, alias: string): Promise<Recipient> {
  const session = await sessions.findPresence(tx, networkId, alias);
  if (session === undefined) return unknownRecipient(alias);
  if (session.username !== null) return person(alias, session.username);
  const status = presentStatus(session);
  if (status !== 'offline') return { session_status: status, isHalted: isHalted(session) };
  const warning = `${alias} is offline, last seen ${roughDuration(tx.now - session.last_seen_at)} ago; the message waits in its inbox`;
  return { session_status: status, warning, isHalted: isHalted(session) };
}

/** People read their mail in the console, under their username as it is written. */
function person(alias: string, username: string): Recipient {
  if (alias === username) return { session_status: 'unknown' };
  const warning = `nobody reads the inbox of ${alias}: the username is ${username}; the message waits in the inbox of ${alias}`;
  return { session_status: 'unknown', warning };
}

// `hub` is the default sender name; no agent is expected to report under it.
function unknownRecipient(alias: string): Recipient {
  if (alias === 'hub') return { session_status: 'unknown' };
  const warning = `no agent has ever reported as ${alias}; the message waits in its inbox; check the spelling with get_all_status`;
  return { session_status: 'unknown', warning };
}

/** The result of every send. */
export function receipt(message: Pick<Message, 'id'>, recipient: Recipient) {
  return {
    message_id: message.id,
    session_status: recipient.session_status,
    ...(recipient.warning !== undefined && { warning: recipient.warning }),
  };
}

/** Stores the message and publishes its event. */
export async function deliver(tx: Transaction, message: NewMessage): Promise<Message> {
  const { stored, pending } = await store.insert(tx, message);
  tx.publish({
    network_id: message.network_id,
    alias: message.alias,
    message_seq: stored.message_seq,
    data: arrivalOf(stored, pending),
  });
  return stored;
}

/** The same for many messages, each to another alias. Their events omit the inbox count. */
export async function deliverToAll(
  tx: Transaction,
  messages: readonly (NewMessage & { type: 'broadcast' })[],
): Promise<void> {
  for (const message of await store.insertAll(tx, messages)) {
    tx.publish({
      network_id: message.network_id,
      alias: message.alias,
      message_seq: message.message_seq,
      data: arrivalOf(message, 0),
    });
  }
}

/** Delivers the inbox message of a task's current attempt. */
export function deliverTask(tx: Transaction, task: Task, messageId: string): Promise<Message> {
  return deliver(tx, {
    id: messageId,
    network_id: task.network_id,
    alias: task.to_name,
    type: 'task',
    priority: task.priority,
    content: task.content,
    context: task.context,
    from_session: task.from_name,
    task_id: task.task_id,
    task_seq: task.task_seq,
    attempt: task.attempt,
  });
}

/** Notifies an assignee that it no longer has a task, given as it was. One that it runs comes before all that wait. */
export async function deliverCancel(hub: Hub, tx: Transaction, task: Task, by: string, content: string): Promise<void> {
  await deliver(tx, {
    id: hub.ids.next('msg'),
    network_id: task.network_id,
    alias: task.to_name,
    type: 'cancel',
    priority: task.status === 'running' ? 'high' : 'normal',
    content,
    from_session: by,
    task_id: task.task_id,
    task_seq: task.task_seq,
    attempt: task.attempt,
  });
}

/** Sends a task's result to its sender. */
export async function deliverReply(
  hub: Hub,
  tx: Transaction,
  task: Task,
  reply: Pick<NewMessage, 'alias' | 'from_session' | 'content'>,
): Promise<Message> {
  const status = task.status === 'failed' || task.status === 'cancelled' ? task.status : 'replied';
  return deliver(tx, {
    ...reply,
    id: hub.ids.next('msg'),
    network_id: task.network_id,
    type: 'reply',
    in_reply_to: task.task_id,
    status,
    task_id: task.task_id,
    task_seq: task.task_seq,
    attempt: task.attempt,
  });
}
