// The events of the stream and their data. An event is a row written in the transaction of its cause; `seq` orders
// them.
import type { Message, NewMessage } from './message.ts';
import type { SessionSummary } from './session.ts';
import type { TaskRecord } from './task.ts';
import type { Outcome, Priority } from './task-status.ts';
import type { Millis } from './time/clock.ts';

/** Events an agent hears on its own stream, and what else the stream of a whole network carries. */
export const AGENT_EVENTS = ['new_task', 'new_message', 'new_reply', 'broadcast'] as const;
export const NETWORK_EVENTS = ['session', 'task'] as const;
export type AgentEventName = (typeof AGENT_EVENTS)[number];
export type EventName = AgentEventName | (typeof NETWORK_EVENTS)[number];

export type EventData =
  | { type: 'new_task'; inbox_count: number; priority: Priority; from: string; task_id: string; message_id: string }
  | { type: 'new_message'; message: string; from: string; message_id: string; task_id?: string }
  | { type: 'new_reply'; from: string; message_id: string; in_reply_to: string | null; status: Outcome | null }
  | { type: 'broadcast'; content: string; from: string; message_id: string }
  | ({ type: 'session' } & SessionSummary & { inbox_count: number })
  | ({ type: 'task'; is_outline?: true } & TaskRecord);

/** An event about to be stored. `alias` is its addressee; null for those only the network's stream carries. */
export type NewEvent = {
  network_id: string;
  alias: string | null;
  data: EventData;
  /** The stored message that it announces, from which its data can be written again. */
  message_seq?: number;
  /** Whose inbox changed though nothing was addressed to it, as by a rename. */
  inbox?: string;
};

export type StreamEvent = {
  seq: number;
  /** The public id, once a reader needed it: one broadcast may have ten thousand. */
  id?: string;
  network_id: string;
  alias: string | null;
  name: EventName;
  /** The data as JSON, without the addressee. */
  readonly data: string;
  created_at: Millis;
  /** The task that a `task` event is about, for those who wait for it. */
  task_id?: string;
  /** The message that it announces to its addressee. */
  message_id?: string;
  /** As in NewEvent, of a live event: for those who wait for mail. */
  inbox?: string;
};

/** What is made of an event for the first of its readers, and kept for the others for as long as the event is. */
export function oncePerEvent<Value extends {}>(make: (event: StreamEvent) => Value): (event: StreamEvent) => Value {
  const made = new WeakMap<StreamEvent, Value>();
  return (event) => {
    const value = made.get(event) ?? make(event);
    made.set(event, value);
    return value;
  };
}

/** An event whose data is written as JSON for the first of its readers: most have none. */
export function streamEvent(event: Omit<StreamEvent, 'data'>, dataOf: () => EventData): StreamEvent {
  let text: string | undefined;
  return {
    ...event,
    get data() {
      return (text ??= JSON.stringify(dataOf()));
    },
  };
}

/** The event that tells an addressee of a message now in its inbox. */
export function arrivalOf(message: NewMessage & Pick<Message, 'priority'>, inboxCount: number): EventData {
  const from = message.from_session;
  switch (message.type) {
    case 'task':
      return {
        type: 'new_task',
        inbox_count: inboxCount,
        priority: message.priority,
        from,
        task_id: message.task_id ?? message.id,
        message_id: message.id,
      };
    case 'reply':
      return {
        type: 'new_reply',
        from,
        message_id: message.id,
        in_reply_to: message.in_reply_to ?? null,
        status: message.status ?? null,
      };
    case 'broadcast':
      return { type: 'broadcast', content: message.content, from, message_id: message.id };
    case 'message':
      return { type: 'new_message', message: message.content, from, message_id: message.id };
    case 'cancel':
      return {
        type: 'new_message',
        message: message.content,
        from,
        message_id: message.id,
        ...(message.task_id != null && { task_id: message.task_id }),
      };
  }
}
