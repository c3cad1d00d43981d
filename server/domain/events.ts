// The events of the stream and their data. An event is a row written in the transaction of its cause and ordered by
// `seq`.
import type { Message, NewMessage } from './message.ts';
import type { SessionSummary } from './session.ts';
import type { TaskRecord } from './task.ts';
import type { Outcome, Priority } from './task-status.ts';
import type { Millis } from './time/clock.ts';

/** The events of an agent's own stream, and those that only a network's stream carries. */
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

/** An event to store. `alias` is its recipient, or null if only the network's stream carries it. */
export type NewEvent = {
  network_id: string;
  alias: string | null;
  data: EventData;
  /** The stored message it announces; its data can be derived from it. */
  message_seq?: number;
  /** The alias whose inbox changed other than by an arrival, such as a rename. */
  inbox?: string;
};

export type StreamEvent = {
  seq: number;
  /** The public id, derived when a reader first needs it: one broadcast may have ten thousand events. */
  id?: string;
  network_id: string;
  alias: string | null;
  name: EventName;
  /** The data as JSON, without the recipient. */
  readonly data: string;
  created_at: Millis;
  /** The task of a `task` event, for requests that wait for it. */
  task_id?: string;
  /** The message that it announces to its recipient. */
  message_id?: string;
  /** As in NewEvent, on live events, for requests that wait for messages. */
  inbox?: string;
};

/** Computes a value for the first reader of an event and shares it with the others while the event exists. */
export function oncePerEvent<Value extends {}>(make: (event: StreamEvent) => Value): (event: StreamEvent) => Value {
  const values = new WeakMap<StreamEvent, Value>();
  return (event) => {
    const value = values.get(event) ?? make(event);
    values.set(event, value);
    return value;
  };
}

/** An event whose JSON is written for its first reader only: most events have none. */
export function streamEvent(event: Omit<StreamEvent, 'data'>, dataOf: () => EventData): StreamEvent {
  return Object.assign(new WithData(dataOf), event);
}

/**
 * A getter in an object literal would give each event another shape. V8 keeps shapes until a major collection, and with
 * them whatever the getter refers to.
 */
class WithData {
  #dataOf: () => EventData;
  #text: string | undefined;

  constructor(dataOf: () => EventData) {
    this.#dataOf = dataOf;
  }

  get data(): string {
    return (this.#text ??= JSON.stringify(this.#dataOf()));
  }
}

/** The event that announces a message to its recipient. */
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

/** What hubs on one database tell each other of what they keep only in memory: a topic and its values. */
export type Gossip = readonly [topic: string, ...values: GossipValue[]];
export type GossipValue = string | number | boolean | null;
