// Closes connections when a listener has as many as it may have: some that are not busy, of the client or user that has
// the most. The choice must be cheap, since anyone can make it happen with every connection that they open.
import type { Server, Socket } from 'node:net';
import { type Holders, openHolders } from './holders.ts';

/** Why a connection was closed. */
export type Closed = 'unread' | 'refused' | 'idle' | 'pipelined' | 'memory' | 'aborted' | 'bodies';

/** new: no request yet; receiving: part of a request has arrived; busy: handling a request; idle: between requests. */
export type Use = 'new' | 'receiving' | 'busy' | 'idle';

const MAX_EVICTED_AT_ONCE = 16;
/** Connections of one holder that are compared at once, the oldest first. */
const MAX_COMPARED = 128;
/** How often more of them are compared, if all were busy. */
const MAX_ROUNDS = 4;
/** Holders that are tried, if all connections of the largest are busy. */
const MAX_TRIED = 8;
/** With more of all connections, strangers that are all busy are a flood, and not the logins of a few people. */
const FLOOD_SHARE = 1 / 4;

/** A user with more of all connections makes room for others with idle ones, unless strangers are a flood. */
const GREEDY_SHARE = 1 / 2;

type Eviction = {
  clientOf(socket: Socket): string;
  useOf(socket: Socket): Use;
  userOf(socket: Socket): string | undefined;
  onClosed(why: Closed): void;
};

/**
 * When the limit is reached, closes some connections that are not busy, of the client that has the most of them.
 * Otherwise, a few addresses could hold all connections with occasional requests, or with requests that never end.
 * Connections with a valid token come only after all others, since strangers can connect from any number of addresses;
 * also after busy ones, unless these are few. A user who holds most of them is no reason to close the new connections
 * of others, which have not shown a token yet.
 */
export function evictWhenFull(server: Server, { clientOf, useOf, userOf, onClosed }: Eviction): void {
  const max = server.maxConnections;
  const wanted = Math.min(MAX_EVICTED_AT_ONCE, Math.ceil(max / MAX_EVICTED_AT_ONCE));
  const strangers = openHolders<Socket>();
  const users = openHolders<Socket>();

  /** Moves a connection that has had a valid token meanwhile. */
  const isStranger = (socket: Socket): boolean => {
    const user = userOf(socket);
    if (user === undefined) return true;
    strangers.remove(socket);
    users.add(user, socket);
    return false;
  };
  const chosenFrom = (holders: Holders<Socket>, added: Socket | undefined, tried = MAX_TRIED): Socket[] => {
    let rounds = 0;
    for (const holder of holders.largest(tried)) {
      const number = holders.size(holder);
      for (let seen = 0; seen < number && (seen === 0 || rounds < MAX_ROUNDS); seen += MAX_COMPARED, rounds += 1) {
        const compared = first(
          MAX_COMPARED,
          holders.of(holder),
          (socket) => socket !== added && isTheirs(holders, socket),
        );
        const spare = compared.filter((socket) => useOf(socket) !== 'busy');
        if (spare.length > 0) return inEvictionOrder(spare, useOf).slice(0, wanted);
        for (const socket of compared) holders.moveBack(socket); // so that others are compared next time
      }
    }
    return [];
  };
  const isTheirs = (holders: Holders<Socket>, socket: Socket): boolean => holders === users || isStranger(socket);
  const greedy = (added: Socket | undefined): Socket[] => {
    const [largest = ''] = users.largest(1);
    const isGreedy = users.size(largest) > max * GREEDY_SHARE && strangers.count() <= max * FLOOD_SHARE;
    return isGreedy ? chosenFrom(users, added, 1) : [];
  };
  const chosen = (added: Socket | undefined): Socket[] => {
    const theirs = greedy(added);
    if (theirs.length > 0) return theirs;
    const some = chosenFrom(strangers, added);
    if (some.length > 0 || strangers.count() <= 1) return some.length > 0 ? some : chosenFrom(users, added);
    // Rare: the largest clients had only connections with tokens, which have just been moved, or busy ones.
    for (const socket of strangers.all()) isStranger(socket);
    const theirsNow = greedy(added);
    const others = theirsNow.length > 0 ? theirsNow : chosenFrom(strangers, added);
    if (others.length > 0) return others;
    return strangers.count() > max * FLOOD_SHARE ? busyStrangers(added) : chosenFrom(users, added);
  };
  const busyStrangers = (added: Socket | undefined): Socket[] => {
    const [largest = ''] = strangers.largest(1);
    return first(wanted, strangers.of(largest), (socket) => socket !== added);
  };

  const evict = (added?: Socket): void => {
    for (const other of chosen(added)) {
      onClosed('idle');
      other.destroy();
    }
  };

  server.on('connection', (socket: Socket) => {
    strangers.add(clientOf(socket), socket);
    socket.once('close', () => {
      strangers.remove(socket);
      users.remove(socket);
    });
    if (strangers.count() + users.count() >= max) evict(socket);
  });
  // Node has refused a connection, since none could be closed for the one before. Now, other connections are compared.
  server.on('drop', () => evict());
}

function first<Item>(count: number, items: Iterable<Item>, isWanted: (item: Item) => boolean): Item[] {
  const found: Item[] = [];
  for (const item of items) {
    if (isWanted(item)) found.push(item);
    if (found.length === count) break;
  }
  return found;
}

/** Those without a request first, then the oldest. */
function inEvictionOrder(sockets: readonly Socket[], useOf: (socket: Socket) => Use): Socket[] {
  const [unused = [], used = []] = [true, false].map((isNew) =>
    sockets.filter((socket) => (useOf(socket) === 'new') === isNew),
  );
  return [...unused, ...used];
}
