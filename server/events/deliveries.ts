// Delivers events to event streams after the write has returned, so that writes do not wait for thousands of sockets.
// Each event loop turn spends a fixed time on deliveries, shared among tenants in round-robin order.
import type { StreamEvent } from '../domain/events.ts';

export type Follower = {
  /** Receives events in order. */
  take(events: readonly StreamEvent[]): void;
  /** Called when the queue overflowed: events after the last one received must be read from the store. */
  lost(): void;
};

/** The followers of one topic and the events that not all of them have received. */
export type Lane = {
  tenant: string;
  followers: Set<Follower>;
  pending: StreamEvent[];
  /** The batch being delivered, and the followers that have not received it. */
  current: { events: readonly StreamEvent[]; left: IterableIterator<Follower> } | undefined;
};

export type Deliveries = {
  add(lane: Lane, event: StreamEvent): void;
};

export const openLane = (tenant: string): Lane => ({ tenant, followers: new Set(), pending: [], current: undefined });

const TURN_MS = 1;
/** Time per tenant and turn while other tenants wait. */
const SHARE_MS = 0.5;
const MAX_BATCH = 25;
const MAX_PENDING = 1_000;
/** Limit for all lanes together. A broadcast to 10,000 agents fits. */
const MAX_PENDING_IN_ALL = 50_000;

/** An error in one follower does not affect the others; it is passed to `onError`. `elapsed` is in milliseconds. */
export function openDeliveries(
  onError: (error: unknown) => void,
  elapsed = (): number => performance.now(),
): Deliveries {
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
  /** Returns false if the time ran out before every follower of the lane received everything. */
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
    // A tenant with more to deliver moves to the end of the Map, so the loop reaches it again.
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
