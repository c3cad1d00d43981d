// Limits how long one turn of the event loop reads requests. Hundreds of connections can have a request ready at once,
// and Node would read and handle all of them before anything else runs. Beyond the limit, no connection is read for the
// rest of the turn. Reading then begins again with some connections per turn, those of different users in rotation, so
// that a burst delays the requests of the same user and not those of others.
import type { Server, Socket } from 'node:net';
import { MAX_READ_MS } from '../domain/limits.ts';
import { yieldToConnections } from '../domain/time/turn-share.ts';
import { parseStartFirst } from './parser-calls.ts';

type ReadTurns = {
  /** The users of the connections take turns; connections without one share a turn per client. */
  holderOf(socket: Socket): string;
  /** With TLS, requests are read from the TLS socket. */
  isSecure?: boolean;
  now?: () => number;
};

type Handle = { reading?: boolean; readStart(): unknown; readStop(): unknown };

/** So many connections are read again per turn. Most of them are usually idle. */
const RESUMED_PER_TURN = { least: 4, most: 512 };
/** So many new connections are read for the first time per turn. */
const BEGUN_PER_TURN = { least: 2, most: 8 };
/** After a shorter turn, twice as many are read, and after a longer one, the fewest. */
const SHORT_TURN_MS = 5;
const LONG_TURN_MS = 10;

/** Returns a function to call for each request that arrives, and for other expensive reads. */
export function limitReads(
  server: Server,
  { holderOf, isSecure = false, now = () => performance.now() }: ReadTurns,
): () => void {
  const open = new Set<Socket>();
  const stopped = new Map<string, Line>(); // the holder whose turn is next comes first
  let count = 0; // of stopped connections
  let start: number | undefined; // of reading in this turn
  let hasStopped = false; // in this turn
  let isScheduled = false;

  const { hold, adapt } = holdWhileOthersArrive();
  const resumed = openAdaptive(RESUMED_PER_TURN);
  if (!isSecure) server.on('connection', hold);
  server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      noteRead(); // aborting its pipelined requests takes time as well
    });
  });
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(endTurn);
  };
  const endTurn = (): void => {
    isScheduled = false;
    const tookMs = start === undefined ? 0 : now() - start;
    adapt(tookMs);
    resumed.adapt(tookMs);
    start = undefined;
    hasStopped = false;
    if (count > 0) resumeSome();
  };
  const stopAll = (): void => {
    hasStopped = true;
    for (const socket of open) {
      const handle = readingOf(socket);
      if (handle === undefined) continue;
      handle.readStop();
      const own = stopped.getOrInsertComputed(holderOf(socket), openLine);
      count -= own.length();
      own.add(socket);
      count += own.length();
    }
  };
  const resumeSome = (): void => {
    for (let left = resumed.number(); left > 0 && count > 0; left -= 1) resume();
    if (count > 0) schedule();
  };
  const resume = (): void => {
    const [next] = stopped;
    if (next === undefined) return;
    const [holder, own] = next;
    const socket = takeOpen(own);
    stopped.delete(holder);
    if (own.length() > 0) stopped.set(holder, own); // behind the others
    if (socket !== undefined) readingOf(socket)?.readStart();
  };
  /** Those that have closed meanwhile would use up the turns of others. */
  const takeOpen = (own: Line): Socket | undefined => {
    for (let socket = own.take(); socket !== undefined; socket = own.take()) {
      count -= 1;
      if (open.has(socket)) return socket;
    }
    return undefined;
  };
  const noteRead = (): void => {
    schedule();
    if (start === undefined) start = now();
    else if (!hasStopped && now() - start > MAX_READ_MS) stopAll();
  };
  return noteRead;
}

type Line = { add(socket: Socket): void; take(): Socket | undefined; length(): number };

/**
 * Takes the newest and the oldest in turn: behind a burst, a newcomer would wait for all of it, and with the newest
 * alone, the oldest would wait as long as others come.
 */
function openLine(): Line {
  const sockets: Socket[] = [];
  const present = new Set<Socket>();
  let takesNewest = false;
  return {
    add: (socket) => {
      if (!present.has(socket)) sockets.push(socket);
      present.add(socket);
    },
    take: () => {
      takesNewest = !takesNewest;
      const socket = takesNewest ? sockets.pop() : sockets.shift();
      if (socket !== undefined) present.delete(socket);
      return socket;
    },
    length: () => sockets.length,
  };
}

/** A number per turn of the event loop that follows the length of the turns. */
function openAdaptive({ least, most }: { least: number; most: number }) {
  let number = least;
  return {
    number: () => number,
    adapt: (turnMs: number): void => {
      if (turnMs > LONG_TURN_MS) number = least;
      else if (turnMs < SHORT_TURN_MS) number = Math.min(2 * number, most);
    },
  };
}

/**
 * Begins to read new connections only when no more arrive, or after a while. Node accepts one connection per turn, so
 * of thousands of clients that connect at once, each would wait for the requests of all before it.
 */
function holdWhileOthersArrive() {
  const held = openLine();
  const begun = openAdaptive(BEGUN_PER_TURN);
  let turnsLeft = 0; // in which another arrival is one of a burst
  const countTurn = (): void => {
    turnsLeft -= 1;
    if (turnsLeft > 0) setImmediate(countTurn);
  };
  const begin = (): void => {
    for (let left = begun.number(); left > 0; left -= 1) {
      const socket = held.take();
      if (socket !== undefined) readingOf(socket)?.readStart();
    }
    if (held.length() > 0) yieldToConnections(begin);
  };
  const hold = (socket: Socket): void => {
    const isInBurst = turnsLeft > 0;
    if (!isInBurst) setImmediate(countTurn);
    turnsLeft = 2;
    if (!isInBurst) return;
    parseStartFirst(socket);
    readingOf(socket)?.readStop();
    held.add(socket);
    if (held.length() === 1) setImmediate(yieldToConnections, begin); // the next one arrives in the next turn
  };
  return { hold, adapt: begun.adapt };
}

/** Undefined if the connection has ended, or Node itself has paused it, for example for the response to be read. */
function readingOf(socket: Socket): Handle | undefined {
  // `_handle` is undocumented, but Node has had it for ten years. Without it, only this limit would not apply.
  const { _handle: handle, readable } = socket as Socket & { _handle?: Handle | null };
  return readable && handle?.reading === true ? handle : undefined;
}
