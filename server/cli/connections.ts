// The connections of the listener: never more than the system has files for, those that do nothing make room for new ones, and none
// stays whose client takes nothing while bytes wait for it, whatever they are.
import { readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { clientKey, isLoopback } from '../domain/addresses.ts';
import { RESERVED_FILES, UNREAD_LOOK_MS, UNREAD_SOCKET_MS } from '../domain/limits.ts';

export type Closed = 'unread' | 'refused' | 'idle' | 'pipelined';

/** A connection is new before its first request, and busy while one is answered. */
export type Use = 'new' | 'busy' | 'idle';

type ConnectionLimits = {
  files?: number | undefined;
  /** Of TLS the secured socket is known to the requests. */
  isSecure?: boolean;
  useOf?: (socket: Socket) => Use;
  /** Whether connections come from reverse proxies, which have one address for all their clients. */
  isBehindProxy?: boolean;
  addressOf?: (socket: Socket) => string;
};

/** Sets how many connections the server takes at once, and one address of elsewhere half of them; one more is closed unanswered. */
export function limitConnections(
  server: Server, onClosed: (why: Closed) => void,
  { files = openFilesLimit(), isSecure = false, useOf = () => 'busy', isBehindProxy = false, addressOf = (socket) => socket.remoteAddress ?? '' }: ConnectionLimits = {},
): void {
  if (files === undefined) return;
  server.maxConnections = Math.max(files - RESERVED_FILES, Math.floor(files / 4));
  server.on('drop', () => onClosed('refused'));
  makeRoom(server, { event: isSecure ? 'secureConnection' : 'connection', clientOf: (socket) => clientKey(addressOf(socket)), useOf, onClosed });
  if (!isBehindProxy) limitAddresses(server, server.maxConnections / 2, addressOf, onClosed);
}

const MADE_AT_ONCE = 16;

type RoomMaker = { event: string; clientOf(socket: Socket): string; useOf(socket: Socket): Use; onClosed(why: Closed): void };

/**
 * Whoever takes the last place has some that do nothing closed: those without a request yet, or else those of the client that has the
 * most, the oldest first. Otherwise a few addresses could hold all places by asking now and then.
 */
function makeRoom(server: Server, { event, clientOf, useOf, onClosed }: RoomMaker): void {
  const max = server.maxConnections;
  const open = new Map<Socket, string>();
  server.on(event, (socket: Socket) => {
    open.set(socket, clientOf(socket));
    socket.once('close', () => open.delete(socket));
    if (open.size < max) return;
    const idle = [...open].filter(([other]) => other !== socket && useOf(other) !== 'busy');
    for (const other of leastMissed(idle, useOf).slice(0, Math.min(MADE_AT_ONCE, Math.ceil(max / MADE_AT_ONCE)))) {
      onClosed('idle');
      other.destroy();
    }
  });
}

function leastMissed(idle: readonly (readonly [Socket, string])[], useOf: (socket: Socket) => Use): Socket[] {
  const unused = idle.filter(([socket]) => useOf(socket) === 'new');
  if (unused.length > 0) return unused.map(([socket]) => socket);
  const [most = []] = [...Map.groupBy(idle, ([, client]) => client).values()].sort((one, other) => other.length - one.length);
  return most.map(([socket]) => socket);
}

// Programs of this machine share its one address.
function limitAddresses(server: Server, max: number, addressOf: (socket: Socket) => string, onClosed: (why: Closed) => void): void {
  const open = new Map<string, number>();
  const count = (client: string, change: number): number => {
    const left = (open.get(client) ?? 0) + change;
    if (left === 0) open.delete(client);
    else open.set(client, left);
    return left;
  };
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket);
    if (isLoopback(address)) return;
    const client = clientKey(address);
    socket.once('close', () => count(client, -1));
    if (count(client, 1) <= max) return;
    onClosed('refused');
    socket.destroy();
  });
}

/** The soft limit of this process, which Node has raised to the hard one; undefined where the system does not say. */
function openFilesLimit(): number | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

export type UnreadWatch = {
  /** Looks at every connection once and returns how many are behind. */
  look(): number;
  stop(): void;
};

const LOOKS = UNREAD_SOCKET_MS / UNREAD_LOOK_MS;

type Behind = { taken: number; looks: number };

/** Time is counted in looks and not by a clock: a machine that slept has not waited for anybody. */
export function watchUnread(server: Server, onClosed: (why: Closed) => void): UnreadWatch {
  const behind = new Map<Socket, Behind | undefined>();
  server.on('connection', (socket: Socket) => {
    behind.set(socket, undefined);
    socket.once('close', () => behind.delete(socket));
  });
  const lookAt = (socket: Socket, before: Behind | undefined): boolean => {
    const now = progressOf(socket);
    const isStuck = now !== undefined && before?.taken === now.taken;
    const looks = isStuck ? before.looks + 1 : 0;
    behind.set(socket, now && { taken: now.taken, looks });
    if (looks < LOOKS) return now !== undefined;
    onClosed('unread');
    socket.destroy();
    return false;
  };
  const look = (): number => [...behind].filter(([socket, before]) => lookAt(socket, before)).length;
  const timer = setInterval(look, UNREAD_LOOK_MS).unref();
  return { look, stop: () => clearInterval(timer) };
}

type Handle = { bytesWritten?: number; writeQueueSize?: number };

/**
 * How many bytes the system has taken, where more wait; undefined where none do. `bytesWritten` and `writableLength` of the
 * socket see only whole writes, one of which may be an answer of megabytes, and nothing of what TLS holds: the handle below does.
 * Linux takes more once a third of its send buffer is free: on a fast link that may be a megabyte, on a slow one it is little.
 */
function progressOf(socket: Socket): { taken: number } | undefined {
  const { _handle: handle } = socket as Socket & { _handle?: Handle | null };
  const { bytesWritten = 0, writeQueueSize = 0 } = handle ?? {};
  return writeQueueSize === 0 ? undefined : { taken: bytesWritten - writeQueueSize };
}
