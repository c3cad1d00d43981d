// Connections that wait to be read: those of different holders in rotation.
import type { Socket } from 'node:net';

export type Rotation = {
  /** A connection that waits already keeps its place. */
  add(socket: Socket): void;
  has(socket: Socket): boolean;
  /** The next connection; undefined if there is none whose holder may be read. */
  take(isFull?: (holder: string) => boolean): Socket | undefined;
  /** Call it for connections that close: they would use up the turns of others and stay in memory. */
  remove(socket: Socket): void;
  size(): number;
};

export type OneRotation = Rotation & {
  /** The one that waits longest, of any holder. */
  takeOldest(): Socket | undefined;
};

export function openRotation(holderOf: (socket: Socket) => string): OneRotation {
  const lines = new Map<string, Line>(); // the holder whose turn is next comes first
  const lineOf = new Map<Socket, Line>();
  const take: Rotation['take'] = (isFull = () => false) => {
    for (const [holder, line] of lines) {
      if (isFull(holder)) continue;
      lines.delete(holder);
      const socket = line.take();
      if (socket === undefined) continue; // all of them have closed
      lineOf.delete(socket);
      if (line.length() > 0) lines.set(holder, line); // behind the others
      return socket;
    }
    return undefined;
  };
  const remove = (socket: Socket): void => {
    lineOf.get(socket)?.remove(socket);
    lineOf.delete(socket);
  };
  return {
    add: (socket) => {
      if (lineOf.has(socket)) return;
      const line = lines.getOrInsertComputed(holderOf(socket), openLine);
      line.add(socket);
      lineOf.set(socket, line);
    },
    has: (socket) => lineOf.has(socket),
    take,
    takeOldest: () => {
      const [oldest] = lineOf.keys();
      if (oldest !== undefined) remove(oldest);
      return oldest;
    },
    remove,
    size: () => lineOf.size,
  };
}

/**
 * Connections of users and those of clients without a known user take turns. An attacker can connect from many
 * addresses, but has few users.
 */
export function openTwoRotations(
  userOf: (socket: Socket) => string | undefined,
  clientOf: (socket: Socket) => string,
): Rotation {
  const ofUsers = openRotation((socket) => userOf(socket) ?? '');
  const ofClients = openRotation(clientOf);
  let isUsersTurn = false;
  const holding = (socket: Socket): Rotation => (ofUsers.has(socket) ? ofUsers : ofClients);
  return {
    add: (socket) => {
      if (holding(socket).has(socket)) return;
      (userOf(socket) === undefined ? ofClients : ofUsers).add(socket);
    },
    has: (socket) => holding(socket).has(socket),
    take: (isFull) => {
      isUsersTurn = !isUsersTurn;
      const [first, second] = isUsersTurn ? [ofUsers, ofClients] : [ofClients, ofUsers];
      return first.take(isFull) ?? second.take(isFull);
    },
    remove: (socket) => holding(socket).remove(socket),
    size: () => ofUsers.size() + ofClients.size(),
  };
}

type Line = { add(socket: Socket): void; take(): Socket | undefined; remove(socket: Socket): void; length(): number };

/** Removed ones are kept until they are this many more than the others. */
const REMOVED_KEPT = 16;

/**
 * Takes the newest and the oldest in turn: behind a burst, a newcomer would wait for all of it, and with the newest
 * alone, the oldest would wait as long as others come.
 */
function openLine(): Line {
  let sockets: Socket[] = [];
  const present = new Set<Socket>();
  let takesNewest = false;
  const takeNext = (): Socket | undefined => (takesNewest ? sockets.pop() : sockets.shift());
  return {
    add: (socket) => {
      sockets.push(socket);
      present.add(socket);
    },
    take: () => {
      takesNewest = !takesNewest;
      let socket = takeNext();
      while (socket !== undefined && !present.delete(socket)) socket = takeNext();
      return socket;
    },
    remove: (socket) => {
      if (present.delete(socket) && sockets.length > 2 * present.size + REMOVED_KEPT)
        sockets = sockets.filter((each) => present.has(each));
    },
    length: () => present.size,
  };
}
