// A budget per event loop turn, in bytes of request bodies or in requests. Work beyond it waits in FIFO order for a
// later turn, so that other requests are served in between.
import type { EventEmitter } from 'node:events';

/** Emits `close` when nobody needs the work any more. */
type Connection = Pick<EventEmitter, 'once' | 'off'>;

/**
 * Spends an amount. Returns undefined if this turn has budget left; otherwise a promise that resolves in the turn that
 * has, or as soon as the connection closes, which spends nothing. Work of closed connections must not wait in line: it
 * would keep their buffers.
 */
export type TurnShare = (amount: number, connection?: Connection) => Promise<void> | undefined;

type NextTurn = (work: () => void) => void;

/**
 * A turn accepts work until `max` is spent, so a single piece of any size always fits. `next` begins the turn after it,
 * for what waits.
 */
export function openTurnShare(max: number, next: NextTurn = setImmediate): TurnShare {
  const waiting = new Set<Waiting>(); // in FIFO order
  const ofConnection = openByConnection<Waiting>((each) => {
    waiting.delete(each);
    each.begin();
  });
  let spent = 0;
  let isCounting = false;

  const count = (amount: number): void => {
    spent += amount;
    if (isCounting) return;
    isCounting = true;
    next(endTurn);
  };
  const endTurn = (): void => {
    isCounting = false;
    spent = 0;
    while (spent < max) {
      const [first] = waiting;
      if (first === undefined) return;
      waiting.delete(first);
      ofConnection.remove(first);
      count(first.amount);
      first.begin();
    }
  };
  return (amount, connection) => {
    if (spent < max && waiting.size === 0) return void count(amount);
    return new Promise((begin) => {
      const last = { amount, connection, begin };
      waiting.add(last);
      ofConnection.add(last);
    });
  };
}

type Waiting = { amount: number; connection: Connection | undefined; begin: () => void };

/** Calls `leave` for those of a connection that closes. It listens once per connection, or Node would warn of a leak. */
function openByConnection<Item extends Pick<Waiting, 'connection'>>(leave: (item: Item) => void) {
  const items = new Map<Connection, { of: Set<Item>; close: () => void }>();
  const listen = (connection: Connection) => {
    const of = new Set<Item>();
    const close = (): void => {
      items.delete(connection);
      of.forEach(leave);
    };
    connection.once('close', close);
    return { of, close };
  };
  return {
    add: (item: Item): void => {
      if (item.connection !== undefined) items.getOrInsertComputed(item.connection, listen).of.add(item);
    },
    remove: (item: Item): void => {
      const { connection } = item;
      const found = connection && items.get(connection);
      if (connection === undefined || found === undefined) return;
      found.of.delete(item);
      if (found.of.size > 0) return;
      items.delete(connection);
      connection.off('close', found.close);
    },
  };
}

/** With 4 ms, a new connection waited twice as long; with 32 ms, requests of others did. */
const MAX_YIELD_MS = 16;

let arrived = 0;

/** Called for each connection that the process accepts. */
export function noteArrival(): void {
  arrived += 1;
}

/**
 * Runs work in a later turn of the event loop, after the connections that arrive in the meantime, or after
 * `MAX_YIELD_MS`. Node accepts one connection per turn. With milliseconds of work in every turn, a thousand clients that
 * connect at once, and all later ones, would wait for seconds.
 */
export function yieldToConnections(work: () => void): void {
  const start = performance.now();
  let seen = arrived;
  const turn = (): void => {
    if (arrived === seen || performance.now() - start > MAX_YIELD_MS) return work();
    seen = arrived;
    setImmediate(turn);
  };
  setImmediate(turn);
}

/** Resolves in the caller's turn. */
export type TenantTurns = (tenant: string) => Promise<void>;

/**
 * Admits one caller of each tenant per event loop turn. The others wait in FIFO order, behind callers of the same
 * tenant only.
 */
export function openTenantTurns(): TenantTurns {
  const waiting = new Map<string, (() => void)[]>(); // a tenant without an entry has not been admitted in this turn
  const endTurn = (): void => {
    for (const [tenant, line] of waiting) {
      const begin = line.shift();
      if (begin === undefined) waiting.delete(tenant);
      else begin();
    }
    if (waiting.size > 0) setImmediate(endTurn);
  };
  return async (tenant) => {
    const line = waiting.get(tenant);
    if (line !== undefined) return new Promise((resolve) => line.push(resolve));
    if (waiting.size === 0) setImmediate(endTurn);
    waiting.set(tenant, []);
  };
}

/** Resolves in the caller's turn. A caller for which `hasLeft` returns true then uses no turn. */
export type FairTurns = (tenant: string, amount: number, hasLeft: () => boolean) => Promise<void>;

/**
 * Admits one caller per event loop turn, so that tenants get equal amounts (start-time fair queueing): a clock shows
 * how much each busy tenant has got, and a tenant that got less comes before the others. Those of a tenant are admitted
 * in FIFO order.
 */
export function openFairTurns(): FairTurns {
  type Waiting = { start: number; begin: () => void; hasLeft: () => boolean };
  const lines = new Map<string, Waiting[]>();
  const ends = new Map<string, number>(); // how much each tenant has got and asked for
  let clock = 0;
  let isTaken = false;

  const take = (): void => {
    isTaken = true;
    yieldToConnections(endTurn);
  };
  const endTurn = (): void => {
    isTaken = false;
    while (!isTaken && lines.size > 0) admitNext();
    if (isTaken) return;
    ends.clear();
    clock = 0;
  };
  const startOf = (tenant: string, amount: number): number => {
    const start = Math.max(clock, ends.get(tenant) ?? 0);
    ends.set(tenant, start + amount);
    return start;
  };
  const admitNext = (): void => {
    const [tenant, line] = [...lines].reduce((best, each) => (startIn(each[1]) < startIn(best[1]) ? each : best));
    const next = line.shift();
    lines.delete(tenant);
    if (line.length > 0) lines.set(tenant, line); // behind others with the same start
    if (next === undefined) return;
    clock = next.start;
    if (!next.hasLeft()) take();
    next.begin();
  };
  const startIn = ([first]: readonly Waiting[]): number => first?.start ?? 0;
  return async (tenant, amount, hasLeft) => {
    const start = startOf(tenant, amount);
    if (!isTaken) return take();
    await new Promise<void>((begin) => lines.getOrInsertComputed(tenant, () => []).push({ start, begin, hasLeft }));
  };
}
