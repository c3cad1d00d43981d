// An inbox message: what an agent finds in its inbox until it acknowledges it or it is withdrawn.
import type { Outcome, Priority } from './task-status.ts';
import type { Millis } from './time/clock.ts';
import { timestamp, timestampOrNull } from './time/time.ts';

const MESSAGE_TYPES = ['task', 'message', 'reply', 'broadcast', 'cancel'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** How far deliveries come: a message in the inbox, pushed, fetched and acknowledged; its task started and settled. */
export const STAGES = ['stored', 'pushed', 'fetched', 'acknowledged', 'started', 'settled'] as const;
export type Stage = (typeof STAGES)[number];

/** A message as the store holds it. `withdrawn_at` is set when its attempt of a task ended. */
export type Message = {
  /** Its number in the store, never shown. */
  message_seq: number;
  id: string;
  network_id: string;
  alias: string;
  type: MessageType;
  priority: Priority;
  content: string;
  context: string | null;
  from_session: string;
  task_id: string | null;
  attempt: number | null;
  in_reply_to: string | null;
  status: Outcome | null;
  created_at: Millis;
  acked_at: Millis | null;
  withdrawn_at: Millis | null;
};

/** The fields a sender decides, and the numbers of what it belongs to; the rest is set on delivery. */
export type NewMessage = Pick<Message, 'id' | 'network_id' | 'alias' | 'type' | 'content' | 'from_session'> &
  Partial<Pick<Message, 'priority' | 'context' | 'task_id' | 'attempt' | 'in_reply_to' | 'status'>> & {
    task_seq?: number | null;
    broadcast_seq?: number;
  };

/** A message as get_inbox shows it: the interface's fields, then those that mean something for its type. */
export type InboxRecord = {
  id: string;
  type: MessageType;
  priority: Priority;
  content: string;
  context: string | null;
  from_session: string;
  created_at: string;
  network_id: string;
  task_id?: string;
  attempt?: number;
  in_reply_to?: string;
  status?: Outcome;
};

export function inboxRecord(message: Message): InboxRecord {
  return {
    id: message.id,
    type: message.type,
    priority: message.priority,
    content: message.content,
    context: message.context,
    from_session: message.from_session,
    created_at: timestamp(message.created_at),
    network_id: message.network_id,
    ...(message.task_id !== null && { task_id: message.task_id }),
    ...(message.attempt !== null && { attempt: message.attempt }),
    ...(message.in_reply_to !== null && { in_reply_to: message.in_reply_to }),
    ...(message.status !== null && { status: message.status }),
  };
}

/** A message in a list of all messages: also whose inbox it is in, and whether it was acknowledged or withdrawn. */
export function messageRecord(message: Message) {
  const { alias, acked_at, withdrawn_at } = message;
  return {
    ...inboxRecord(message),
    alias,
    acked_at: timestampOrNull(acked_at),
    ...(withdrawn_at !== null && { withdrawn_at: timestamp(withdrawn_at) }),
  };
}
