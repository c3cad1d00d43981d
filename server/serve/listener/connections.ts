// Connection limits of the listener: the total stays below the open-file limit and fits into memory, idle connections
// are closed when the limit is reached, and connections whose clients stop reading pending data are closed.
import type { Server, Socket } from 'node:net';
import { clientKey, isLoopback } from '../../domain/addresses.ts';
import { RESERVED_FILES, UNREAD_LOOK_MS, UNREAD_SOCKET_MS } from '../../domain/limits.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { openFilesLimit } from '../machine/descriptors.ts';
import { memoryLimit } from '../machine/memory.ts';
import { type Closed, evictWhenFull, type Use } from './eviction.ts';

type ListenerLimits = {
  files?: number | undefined;
  /** Memory available to the process, in bytes. */
  memory?: number;
  /** With TLS, requests refer to the TLS socket. */
  isSecure?: boolean;
  useOf?: (socket: Socket) => Use;
  /** The user whose token a request on this connection had. */
  userOf?: (socket: Socket) => string | undefined;
  /** Whether connections come from reverse proxies, which use one address for all their clients. */
  isBehindProxy?: boolean;
  addressOf?: (socket: Socket) => string;
  maxAborted?: number;
};

/** Limits the connections of the server, and those of one non-loopback address to half of them; closes further ones. */
export function limitConnections(
  server: Server,
  onClosed: (why: Closed) => void,
  {
    files = openFilesLimit(),
    memory = memoryLimit(),
    isSecure = false,
    useOf = () => 'busy',
    userOf = () => undefined,
    isBehindProxy = false,
    addressOf = (socket) => socket.remoteAddress ?? '',
    maxAborted = MAX_ABORTED,
  }: ListenerLimits = {},
): void {
  const inFiles = files === undefined ? Infinity : Math.max(files - RESERVED_FILES, Math.floor(files / 4));
  const bytesEach = isSecure ? SECURE_CONNECTION_BYTES : CONNECTION_BYTES;
  server.maxConnections = Math.min(inFiles, Math.floor((memory * CONNECTIONS_SHARE) / bytesEach));
  server.on('drop', () => onClosed('refused'));
  const clientOf = (socket: Socket): string => clientKey(addressOf(socket));
  const own = isSecure ? tlsSockets(server) : (socket: Socket) => socket;
  evictWhenFull(server, {
    clientOf,
    useOf: (socket) => valueOf(own(socket), useOf) ?? 'new',
    userOf: (socket) => valueOf(own(socket), userOf),
    onClosed,
  });
  if (isBehindProxy) return;
  limitAddresses(server, server.maxConnections / 2, addressOf, onClosed);
  limitAborted(server, maxAborted, addressOf, onClosed);
}

function valueOf<Value>(socket: Socket | undefined, of: (socket: Socket) => Value): Value | undefined {
  return socket && of(socket);
}

/**
 * With TLS, requests refer to the TLS socket, which exists after the handshake. The two sockets are matched by their
 * addresses and port.
 */
function tlsSockets(server: Server): (socket: Socket) => Socket | undefined {
  const secured = new Map<string, Socket>();
  server.on('secureConnection', (socket: Socket) => {
    const peer = peerOf(socket);
    secured.set(peer, socket);
    socket.once('close', () => secured.get(peer) === socket && secured.delete(peer));
  });
  return (socket) => secured.get(peerOf(socket));
}

function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

// Loopback is exempt: all local programs share it.
function limitAddresses(
  server: Server,
  max: number,
  addressOf: (socket: Socket) => string,
  onClosed: (why: Closed) => void,
): void {
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

/** A thousand a second take a quarter of a core. Four times as many made others wait for 300 ms. */
const MAX_ABORTED = 1_000;

/**
 * A client that closes more connections than this in a second before anything was sent to it gets no new ones for a
 * second or two. Accepting and closing one costs a third of parsing its request, looking up the token and giving up.
 * Loopback is exempt here, too.
 */
function limitAborted(
  server: Server,
  max: number,
  addressOf: (socket: Socket) => string,
  onClosed: (why: Closed) => void,
): void {
  let [before, present] = [new Map<string, number>(), new Map<string, number>()];
  const timer = setInterval(() => {
    [before, present] = [present, new Map()];
  }, SECOND_MS).unref();
  server.once('close', () => clearInterval(timer));
  const isOver = (client: string): boolean => Math.max(before.get(client) ?? 0, present.get(client) ?? 0) > max;
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket);
    if (isLoopback(address)) return;
    const client = clientKey(address);
    if (isOver(client)) {
      onClosed('aborted');
      socket.destroy();
      return;
    }
    socket.once('close', () => {
      if (socket.bytesWritten === 0) present.set(client, (present.get(client) ?? 0) + 1);
    });
  });
}

// Measured: an idle connection takes 17 kB, a stream 31 kB, a wait 38 kB, and an incomplete head or body up to 20 kB.
const CONNECTION_BYTES = 40 * 1024;
/** Measured with TLS: 71 to 85 kB with an incomplete head, 105 kB after a large response. */
const SECURE_CONNECTION_BYTES = 128 * 1024;
const CONNECTIONS_SHARE = 0.25;

export type UnreadWatch = {
  /** Checks every connection once and returns how many are behind. */
  look(): number;
  stop(): void;
};

const MAX_LOOKS = UNREAD_SOCKET_MS / UNREAD_LOOK_MS;

type Behind = { taken: number; looks: number };

/** Counts checks instead of elapsed time, so that time during which the machine sleeps does not count. */
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
    if (looks < MAX_LOOKS) return now !== undefined;
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
 * The number of bytes the system has accepted; undefined when no data is pending. `bytesWritten` and `writableLength`
 * of the socket count only whole writes, which may be megabytes, and exclude data buffered by TLS, so the handle is
 * read. Linux accepts more once a third of its send buffer is free: up to a megabyte on a fast link, little on a slow
 * one.
 */
function progressOf(socket: Socket): { taken: number } | undefined {
  const { _handle: handle } = socket as Socket & { _handle?: Handle | null };
  const { bytesWritten = 0, writeQueueSize = 0 } = handle ?? {};
  return writeQueueSize === 0 ? undefined : { taken: bytesWritten - writeQueueSize };
}
