// Closes connections when a listener has as many as it may have: some that are not busy, of the client or user that has
// the most.
import type { Server, Socket } from 'node:net';

/** Why a connection was closed. */
export type Closed = 'unread' | 'refused' | 'idle' | 'pipelined' | 'memory';

/** new: no request yet; receiving: part of a request has arrived; busy: handling a request; idle: between requests. */
export type Use = 'new' | 'receiving' | 'busy' | 'idle';

const MAX_EVICTED_AT_ONCE = 16;

type Eviction = {
  clientOf(socket: Socket): string;
  useOf(socket: Socket): Use;
  userOf(socket: Socket): string | undefined;
  onClosed(why: Closed): void;
};

/**
 * When the limit is reached, closes some connections that are not busy, of the client that has the most of them.
 * Otherwise, a few addresses could hold all connections with occasional requests, or with requests that never end.
 * Connections with a valid token come only after all others, since strangers can connect from any number of addresses.
 */
export function evictWhenFull(server: Server, { clientOf, useOf, userOf, onClosed }: Eviction): void {
  const max = server.maxConnections;
  const open = new Map<Socket, string>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, clientOf(socket));
    socket.once('close', () => open.delete(socket));
    if (open.size < max) return;
    const spare = [...open.keys()].filter((other) => other !== socket && useOf(other) !== 'busy');
    const strangers = spare.filter((other) => userOf(other) === undefined);
    const most =
      strangers.length > 0
        ? ofLargest(strangers, strangers, (other) => open.get(other))
        : ofLargest(spare, [...open.keys()], userOf);
    const count = Math.min(MAX_EVICTED_AT_ONCE, Math.ceil(max / MAX_EVICTED_AT_ONCE));
    for (const other of inEvictionOrder(most, useOf).slice(0, count)) {
      onClosed('idle');
      other.destroy();
    }
  });
}

/** The connections in `spare` of the holder that has the most in `all`. */
function ofLargest<Holder>(
  spare: readonly Socket[],
  all: readonly Socket[],
  holderOf: (socket: Socket) => Holder,
): Socket[] {
  const sizes = new Map<Holder, number>();
  for (const socket of all) sizes.set(holderOf(socket), (sizes.get(holderOf(socket)) ?? 0) + 1);
  const sizeOf = ([holder]: [Holder, Socket[]]): number => sizes.get(holder) ?? 0;
  const [largest] = [...Map.groupBy(spare, holderOf)].sort((one, other) => sizeOf(other) - sizeOf(one));
  return largest?.[1] ?? [];
}

/** Those without a request first, then the oldest. */
function inEvictionOrder(sockets: readonly Socket[], useOf: (socket: Socket) => Use): Socket[] {
  const [unused = [], used = []] = [true, false].map((isNew) =>
    sockets.filter((socket) => (useOf(socket) === 'new') === isNew),
  );
  return [...unused, ...used];
}
