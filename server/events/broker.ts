// Hands committed events to whoever listens: by network, and by alias within it. It holds no events itself; a listener
// that cannot keep up is the listener's own business to end.
import type { StreamEvent } from '../domain/events.ts';

export type Listener = (event: StreamEvent) => void;

/** Events of some networks; in them of one addressee, of all that changes one inbox, or of one task, where that is given. */
export type Topic = { networks: readonly string[]; alias?: string | undefined; inbox?: string | undefined; task_id?: string | undefined };

export type Broker = {
  publish(events: readonly StreamEvent[]): void;
  /** Listens from this moment on; the answer ends it. */
  subscribe(topic: Topic, listener: Listener): () => void;
};

/** A listener that fails keeps nothing from the others; `onError` is told. */
export function openBroker(onError: (error: unknown) => void): Broker {
  const listeners = new Map<string, Set<Listener>>();
  const tell = (key: string, event: StreamEvent): void => listeners.get(key)?.forEach((listener) => tellOne(listener, event, onError));
  return {
    publish: (events) => {
      for (const event of events) {
        tell(networkKey(event.network_id), event);
        if (event.alias !== null) tell(aliasKey(event.network_id, event.alias), event);
        const inbox = event.alias ?? event.inbox;
        if (inbox !== undefined) tell(inboxKey(event.network_id, inbox), event);
        if (event.task_id !== undefined) tell(taskKey(event.network_id, event.task_id), event);
      }
    },
    subscribe: (topic, listener) => {
      const keys = topic.networks.map((network) => keyOf(network, topic));
      for (const key of keys) add(listeners, key, listener);
      return () => keys.forEach((key) => drop(listeners, key, listener));
    },
  };
}

function tellOne(listener: Listener, event: StreamEvent, onError: (error: unknown) => void): void {
  try {
    listener(event);
  } catch (error) {
    onError(error);
  }
}

function keyOf(networkId: string, { alias, inbox, task_id: taskId }: Topic): string {
  if (inbox !== undefined) return inboxKey(networkId, inbox);
  if (taskId !== undefined) return taskKey(networkId, taskId);
  return alias === undefined ? networkKey(networkId) : aliasKey(networkId, alias);
}

// Ids hold neither blank nor slash nor colon, so no two of these keys can be the same by accident.
const networkKey = (networkId: string): string => networkId;
const aliasKey = (networkId: string, alias: string): string => `${networkId} ${alias}`;
const inboxKey = (networkId: string, alias: string): string => `${networkId}:${alias}`;
const taskKey = (networkId: string, taskId: string): string => `${networkId}/${taskId}`;

function add(listeners: Map<string, Set<Listener>>, key: string, listener: Listener): void {
  const present = listeners.get(key);
  if (present === undefined) listeners.set(key, new Set([listener]));
  else present.add(listener);
}

function drop(listeners: Map<string, Set<Listener>>, key: string, listener: Listener): void {
  const present = listeners.get(key);
  present?.delete(listener);
  if (present?.size === 0) listeners.delete(key);
}
