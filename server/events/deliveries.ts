// Hands events to the readers of streams after the commit that brought them, so that no write waits for thousands of sockets. Each turn
// of the event loop spends a few milliseconds on it. Tenants take turns: readers of one network wait little for those of another.
import type { StreamEvent } from '../domain/events.ts';

export type Follower = {
  /** Called with events in their order. */
  take(events: readonly StreamEvent[]): void;
  /** Called when too many events waited: those after the last it took must be read from the store. */
  lost(): void;
};

/** All who follow the same topic, and what they have not all been given. */
export type Lane = {
  tenant: string;
  followers: Set<Follower>;
  pending: StreamEvent[];
  /** Events that are being given out, and the followers who have not got them. */
  current: { events: readonly StreamEvent[]; left: IterableIterator<Follower> } | undefined;
};

export type Deliveries = {
  add(lane: Lane, event: StreamEvent): void;
};

export const openLane = (tenant: string): Lane => ({ tenant, followers: new Set(), pending: [], current: undefined });

const TURN_MS = 1;
/** Of a turn for one tenant, where others wait. */
const SHARE_MS = 0.5;
const MAX_BATCH = 25;
const MAX_PENDING = 1_000;
/** Of all lanes; a broadcast to ten thousand agents fits. */
const MAX_PENDING_IN_ALL = 50_000;

/** A follower that fails keeps nothing from the others; `onError` is told. `elapsed` is in milliseconds. */
export function openDeliveries(onError: (error: unknown) => void, elapsed = (): number => performance.now()): Deliveries {
  const waiting = new Map<string, Set<Lane>>();
  let pending = 0;
  let isBusy = false;

  const run = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      onError(error);
    }
  };
  const begin = (lane: Lane): NonNullable<Lane['current']> => {
    const events = lane.pending.splice(0, MAX_BATCH);
    pending -= events.length;
    return (lane.current = { events, left: lane.followers.values() });
  };
  /** False when the time is up before all followers of the lane have got everything. */
  const serveLane = (lane: Lane, end: number): boolean => {
    while (lane.current !== undefined || lane.pending.length > 0) {
      const { events, left } = lane.current ?? begin(lane);
      for (let next = left.next(); !next.done; next = left.next()) {
        const follower = next.value;
        run(() => follower.take(events));
        if (elapsed() >= end) return false;
      }
      lane.current = undefined;
    }
    return true;
  };
  const serveTenant = (lanes: Set<Lane>, end: number): boolean => {
    for (const lane of lanes) {
      if (!serveLane(lane, end)) return false;
      lanes.delete(lane);
    }
    return true;
  };
  const turn = (): void => {
    const end = elapsed() + TURN_MS;
    // A tenant with more goes to the end of the Map, so the loop comes to it again.
    for (const [tenant, lanes] of waiting) {
      const isDone = serveTenant(lanes, Math.min(end, elapsed() + SHARE_MS));
      waiting.delete(tenant);
      if (!isDone) waiting.set(tenant, lanes);
      if (elapsed() >= end) break;
    }
    isBusy = waiting.size > 0;
    if (isBusy) setImmediate(turn);
  };
  const giveUp = (lane: Lane): void => {
    pending -= lane.pending.length;
    lane.pending = [];
    for (const follower of lane.followers) run(() => follower.lost());
  };
  return {
    add: (lane, event) => {
      if (lane.pending.length >= MAX_PENDING || pending >= MAX_PENDING_IN_ALL) return giveUp(lane);
      lane.pending.push(event);
      pending += 1;
      const lanes = waiting.get(lane.tenant);
      if (lanes === undefined) waiting.set(lane.tenant, new Set([lane]));
      else lanes.add(lane);
      if (isBusy) return;
      isBusy = true;
      setImmediate(turn);
    },
  };
}
