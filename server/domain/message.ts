// An inbox message. It stays in the inbox until it is acknowledged or withdrawn.
import type { Outcome, Priority } from './task-status.ts';
import type { Millis } from './time/clock.ts';
import { timestamp, timestampOrNull } from './time/time.ts';

export const MESSAGE_TYPES = ['task', 'message', 'reply', 'broadcast', 'cancel'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** The stages of a delivery: message stored, pushed, fetched and acknowledged; task started and settled. */
export const STAGES = ['stored', 'pushed', 'fetched', 'acknowledged', 'started', 'settled'] as const;
export type Stage = (typeof STAGES)[number];

/** A message in the store. `withdrawn_at` is set when its attempt of a task ends. */
export type Message = {
  /** Internal sequence number, never shown. */
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

/** The fields the sender sets, and references to its task or broadcast; the rest is set on delivery. */
export type NewMessage = Pick<Message, 'id' | 'network_id' | 'alias' | 'type' | 'content' | 'from_session'> &
  Partial<Pick<Message, 'priority' | 'context' | 'task_id' | 'attempt' | 'in_reply_to' | 'status'>> & {
    task_seq?: number | null;
    broadcast_seq?: number;
  };

/** A message in get_inbox: the fields of the interface, then those specific to its type. */
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

/** A message in a list of all messages, which adds its inbox and when it was acknowledged or withdrawn. */
export function messageRecord(message: Message) {
  const { alias, acked_at, withdrawn_at } = message;
  return {
    ...inboxRecord(message),
    alias,
    acked_at: timestampOrNull(acked_at),
    ...(withdrawn_at !== null && { withdrawn_at: timestamp(withdrawn_at) }),
  };
}
