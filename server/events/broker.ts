// Hands committed events to whoever listens: by network, and by alias within it. It holds no events itself; a listener
// that cannot keep up is the listener's own business to end.
import type { StreamEvent } from '../domain/events.ts';

export type Listener = (event: StreamEvent) => void;

/** Events of some networks; of one addressee in them where `alias` is given. */
export type Topic = { networks: readonly string[]; alias?: string | undefined };

export type Broker = {
  publish(events: readonly StreamEvent[]): void;
  /** Listens from this moment on; the answer ends it. */
  subscribe(topic: Topic, listener: Listener): () => void;
};

export function openBroker(): Broker {
  const listeners = new Map<string, Set<Listener>>();
  const tell = (key: string, event: StreamEvent): void => listeners.get(key)?.forEach((listener) => listener(event));
  return {
    publish: (events) => {
      for (const event of events) {
        tell(keyOf(event.network_id), event);
        if (event.alias !== null) tell(keyOf(event.network_id, event.alias), event);
      }
    },
    subscribe: (topic, listener) => {
      const keys = topic.networks.map((network) => keyOf(network, topic.alias));
      for (const key of keys) add(listeners, key, listener);
      return () => keys.forEach((key) => drop(listeners, key, listener));
    },
  };
}

// Ids hold no blank, so a network and an alias cannot be mistaken for another pair.
function keyOf(networkId: string, alias?: string): string {
  return alias === undefined ? networkId : `${networkId} ${alias}`;
}

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
