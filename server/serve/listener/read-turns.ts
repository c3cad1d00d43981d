// Limits how long one turn of the event loop reads requests. Hundreds of connections can have a request ready at once,
// and Node would read and handle all of them before anything else runs. Beyond the limit, only users who took little of
// the turn are read for the rest of it, and beyond twice the limit nobody. Reading then begins again with some
// connections per turn, those of different users in rotation, so that a burst delays the requests of the same user and
// not those of others. Connections of a user for whom Node has buffered too much are not read either, so that their
// data stays with the system and the client.
import type { Server, Socket } from 'node:net';
import { MAX_READ_MS } from '../../domain/limits.ts';
import { openAdaptive, openBurst } from './burst.ts';
import { parseStartFirst, watchReads } from './parser-calls.ts';
import { openTwoRotations } from './rotation.ts';
import { openUsersAtClients } from './users-at-clients.ts';

type ReadTurns = {
  /** The users of connections take turns. */
  userOf(socket: Socket): string | undefined;
  /** So do the clients of connections without a known user, until only one user is known at a client. */
  clientOf(socket: Socket): string;
  /** Whether no connection of this holder may be read now. */
  isFull?: (holder: string) => boolean;
  /** With TLS, requests are read from the TLS socket. */
  isSecure?: boolean;
  now?: () => number;
};

export type Reads = {
  /** Call it for each request that arrives on this connection, and for other expensive reads. */
  note(socket: Socket): void;
  /** Stops reading the connections of a holder that is full. */
  stop(holder: string): void;
  /** Reads again those of holders that are no longer full. */
  resume(): void;
};

type Handle = { reading?: boolean; readStart(): unknown; readStop(): unknown };

/** So many connections are read again per turn. Most of them are usually idle. */
const RESUMED_PER_TURN = { least: 4, most: 512 };
/** Thousands can end at once, as when a network fails. Each takes 20 µs, and as much again at the end of the turn. */
const MAX_ENDED = 400;
/**
 * With at most 8, another newcomer waited for a second while a thousand clients left and came back; with 32, turns got
 * longer.
 */
const BEGUN_PER_TURN = 16;
/** Connections without a known user are read for this long in a turn: the requests of users wait for its end. */
const STRANGERS_MS = 5;
/** A user may spend this much of a turn that is too long, and is still read. */
const LIGHT_MS = 1;

export function limitReads(
  server: Server,
  { userOf, clientOf, isFull = () => false, isSecure = false, now = () => performance.now() }: ReadTurns,
): Reads {
  const open = new Set<Socket>();
  const ofClients = new Map<string, Set<Socket>>();
  const strangers = new Set<Socket>(); // and some that have a user by now
  const usersAtClients = openUsersAtClients();
  const holderOf = (socket: Socket): string => userOf(socket) ?? clientOf(socket);
  const strangerOf = (socket: Socket): string => usersAtClients.onlyUserAt(clientOf(socket)) ?? clientOf(socket);
  const stopped = openTwoRotations(userOf, strangerOf);
  let start: number | undefined; // of reading in this turn
  let last = 0; // when the last request in this turn arrived
  let reader: string | undefined; // the user of its connection
  let spent = new Map<string, number>(); // milliseconds of reading per user in this turn
  let strangersMs = 0; // of reading connections without a known user in this turn
  let stopping: 'none' | 'strangers' | 'most' | 'all' = 'none'; // in this turn
  let ended = 0; // connections, in this turn
  const full = new Set<string>(); // holders whose connections have all been stopped in this turn
  let isScheduled = false;

  const read = (socket: Socket): void => {
    stopped.remove(socket); // if all were stopped while it was held
    if (isFull(holderOf(socket))) hold(socket);
    else readingOf(socket)?.readStart();
  };
  const burst = openBurst({ begin: read, holderOf: strangerOf, maxPerTurn: BEGUN_PER_TURN });
  const resumed = openAdaptive(RESUMED_PER_TURN);
  server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket);
    strangers.add(socket);
    const client = clientOf(socket);
    const ofClient = ofClients.getOrInsertComputed(client, () => new Set());
    ofClient.add(socket);
    watchReads(socket, () => note(socket));
    socket.once('end', () => noteEnd(socket)).once('error', () => noteEnd(socket));
    socket.once('close', () => {
      open.delete(socket);
      strangers.delete(socket);
      ofClient.delete(socket);
      if (ofClient.size === 0) ofClients.delete(client);
      stopped.remove(socket);
      note(socket); // aborting its pipelined requests takes time as well
    });
    if (!isSecure && burst.isOne(socket)) {
      parseStartFirst(socket, () => note(socket));
      readingOf(socket)?.readStop();
    } else if (isFull(holderOf(socket))) hold(socket);
  });
  const noteEnd = (socket: Socket): void => {
    note(socket);
    ended += 1;
    if (ended > MAX_ENDED && stopping !== 'all') stopAll();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(endTurn);
  };
  const endTurn = (): void => {
    isScheduled = false;
    const tookMs = start === undefined ? 0 : now() - start;
    burst.adapt(start === undefined ? 0 : last - start); // without what else the turn does
    resumed.adapt(tookMs);
    start = undefined;
    strangersMs = 0;
    if (spent.size > 0) spent = new Map();
    stopping = 'none';
    ended = 0;
    full.clear();
    resumeSome();
  };
  const hold = (socket: Socket): void => {
    const handle = readingOf(socket);
    if (handle === undefined) return;
    handle.readStop();
    stopped.add(socket);
  };
  // Users who took little of the turn are read on: they are not the reason for its length.
  const isLight = (socket: Socket): boolean => {
    const user = userOf(socket);
    return user !== undefined && (spent.get(user) ?? 0) < LIGHT_MS;
  };
  const stopStrangers = (): void => {
    stopping = 'strangers';
    for (const socket of strangers) {
      if (userOf(socket) === undefined) hold(socket);
      else strangers.delete(socket);
    }
  };
  const stopMost = (): void => {
    stopping = 'most';
    for (const socket of open) if (!isLight(socket)) hold(socket);
  };
  const stopAll = (): void => {
    stopping = 'all';
    for (const socket of open) hold(socket);
  };
  const stop = (holder: string): void => {
    if (full.has(holder)) return;
    full.add(holder);
    schedule();
    for (const socket of ofClients.get(holder) ?? open)
      if (!stopped.has(socket) && holderOf(socket) === holder) hold(socket);
  };
  const resumeSome = (): void => {
    for (let left = resumed.number(); left > 0; left -= 1) if (!resumeOne()) return;
    if (stopped.size() > 0) schedule();
  };
  /** Returns false if there is none that may be read. */
  const resumeOne = (): boolean => {
    const socket = stopped.take(isFull);
    if (socket === undefined) return false;
    readingOf(socket)?.readStart();
    return true;
  };
  const note = (socket: Socket): void => {
    schedule();
    const before = last;
    last = now();
    const tookMs = start === undefined ? 0 : last - before;
    if (reader === undefined) strangersMs += tookMs;
    else spent.set(reader, (spent.get(reader) ?? 0) + tookMs);
    reader = userOf(socket);
    if (reader !== undefined) usersAtClients.note(clientOf(socket), reader);
    if (start === undefined) start = last;
    else if (stopping === 'none' && strangersMs > STRANGERS_MS) stopStrangers();
    else if (stopping !== 'most' && stopping !== 'all' && last - start > MAX_READ_MS) stopMost();
    else if (stopping === 'most' && last - start > 2 * MAX_READ_MS) stopAll();
  };
  return { note, stop, resume: () => stopped.size() > 0 && schedule() };
}

/** Undefined if the connection has ended, or Node itself has paused it, for example for the response to be read. */
function readingOf(socket: Socket): Handle | undefined {
  // `_handle` is undocumented, but Node has had it for ten years. Without it, only this limit would not apply.
  const { _handle: handle, readable } = socket as Socket & { _handle?: Handle | null };
  return readable && handle?.reading === true ? handle : undefined;
}
