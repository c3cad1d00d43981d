// Delivers committed events to subscribers by network, alias, inbox or task. Listeners run inside the hub and are
// called before the write returns. Followers are event streams; there may be thousands, so they receive events shortly
// after.
import type { StreamEvent } from '../domain/events.ts';
import { type Follower, type Lane, openDeliveries, openLane } from './deliveries.ts';

export type Listener = (event: StreamEvent) => void;

/** Selects events of some networks, optionally only those of one recipient, one inbox or one task. */
export type Topic = {
  networks: readonly string[];
  alias?: string | undefined;
  inbox?: string | undefined;
  task_id?: string | undefined;
};

export type Broker = {
  publish(events: readonly StreamEvent[]): void;
  /** Adds a listener; returns the function that removes it. */
  subscribe(topic: Topic, listener: Listener): () => void;
  /** Adds a follower; returns the function that removes it. It may also receive recent earlier events. */
  follow(topic: Topic, follower: Follower): () => void;
  /** Whether anybody may receive this event. */
  isHeard(event: Pick<StreamEvent, 'network_id' | 'alias' | 'name'>): boolean;
};

/** An error in one listener or follower does not affect the others; it is passed to `onError`. */
export function openBroker(onError: (error: unknown) => void): Broker {
  const listeners = new Map<string, Set<Listener>>();
  const lanes = openLanes();
  const deliveries = openDeliveries(onError);
  const heard = openHeard();
  return {
    isHeard: heard.has,
    publish: (events) => {
      for (const event of events) {
        for (const key of keysOf(event)) {
          listeners.get(key)?.forEach((listener) => notify(listener, event, onError));
          lanes.of(key)?.forEach((lane) => deliveries.add(lane, event));
        }
      }
    },
    subscribe: (topic, listener) => {
      const keys = keysOfTopic(topic);
      for (const key of keys) add(listeners, key, listener);
      const leave = heard.join(topic);
      return () => {
        for (const key of keys) remove(listeners, key, listener);
        leave();
      };
    },
    follow: (topic, follower) => {
      const [stop, leave] = [lanes.join(topic, follower), heard.join(topic)];
      return () => {
        stop();
        leave();
      };
    },
  };
}

/** Counts the listeners and followers. Those of a task or an inbox may hear what has no recipient. */
function openHeard() {
  const counts = new Map<string, number>();
  const change = (keys: readonly string[], by: number): void => {
    for (const key of keys) {
      const count = (counts.get(key) ?? 0) + by;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    }
  };
  return {
    has: ({ network_id, alias, name }: Pick<StreamEvent, 'network_id' | 'alias' | 'name'>): boolean =>
      counts.has(networkKey(network_id)) ||
      (alias === null
        ? name === 'session' && counts.has(inboxesKey(network_id))
        : counts.has(aliasKey(network_id, alias)) || counts.has(inboxKey(network_id, alias))),
    join: (topic: Topic): (() => void) => {
      const keys = topic.networks.flatMap((network) => heardBy(network, topic));
      let isOver = false;
      change(keys, 1);
      return () => {
        if (!isOver) change(keys, -1);
        isOver = true;
      };
    },
  };
}

/** Which task an event is about is not known before it is read. */
function heardBy(network: string, topic: Topic): string[] {
  if (topic.inbox !== undefined) return [inboxKey(network, topic.inbox), inboxesKey(network)];
  return [topic.task_id === undefined ? keyOf(network, topic) : networkKey(network)];
}

/** Followers with the same topic share a lane. Events of all its networks stay in order. */
function openLanes() {
  const byTopic = new Map<string, Lane>();
  const byKey = new Map<string, Set<Lane>>();
  return {
    of: (key: string): ReadonlySet<Lane> | undefined => byKey.get(key),
    join: (topic: Topic, follower: Follower): (() => void) => {
      const keys = keysOfTopic(topic);
      const name = JSON.stringify(keys);
      const lane = byTopic.get(name) ?? openLane(topic.networks.join());
      byTopic.set(name, lane);
      for (const key of keys) add(byKey, key, lane);
      lane.followers.add(follower);
      return () => {
        lane.followers.delete(follower);
        if (lane.followers.size > 0 || byTopic.get(name) !== lane) return;
        byTopic.delete(name);
        for (const key of keys) remove(byKey, key, lane);
      };
    },
  };
}

function notify(listener: Listener, event: StreamEvent, onError: (error: unknown) => void): void {
  try {
    listener(event);
  } catch (error) {
    onError(error);
  }
}

function keysOf(event: StreamEvent): string[] {
  const inbox = event.alias ?? event.inbox;
  const keys = [networkKey(event.network_id)];
  if (event.alias !== null) keys.push(aliasKey(event.network_id, event.alias));
  if (inbox !== undefined) keys.push(inboxKey(event.network_id, inbox));
  if (event.task_id !== undefined) keys.push(taskKey(event.network_id, event.task_id));
  return keys;
}

function keysOfTopic(topic: Topic): string[] {
  return topic.networks.map((network) => keyOf(network, topic));
}

function keyOf(networkId: string, { alias, inbox, task_id: taskId }: Topic): string {
  if (inbox !== undefined) return inboxKey(networkId, inbox);
  if (taskId !== undefined) return taskKey(networkId, taskId);
  return alias === undefined ? networkKey(networkId) : aliasKey(networkId, alias);
}

// Ids contain no spaces, slashes or colons, so these keys cannot collide.
const networkKey = (networkId: string): string => networkId;
const aliasKey = (networkId: string, alias: string): string => `${networkId} ${alias}`;
const inboxKey = (networkId: string, alias: string): string => `${networkId}:${alias}`;
const inboxesKey = (networkId: string): string => `${networkId}::`;
const taskKey = (networkId: string, taskId: string): string => `${networkId}/${taskId}`;

function add<Value>(sets: Map<string, Set<Value>>, key: string, value: Value): void {
  const present = sets.get(key);
  if (present === undefined) sets.set(key, new Set([value]));
  else present.add(value);
}

function remove<Value>(sets: Map<string, Set<Value>>, key: string, value: Value): void {
  const present = sets.get(key);
  present?.delete(value);
  if (present?.size === 0) sets.delete(key);
}
