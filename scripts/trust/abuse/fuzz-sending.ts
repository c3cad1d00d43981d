// Irregular ways to send a request: in full, in chunks, reset at any point, half-closed, incomplete, or never read.
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { Draws } from '../../support/random.ts';
import type { Hub } from '../hub.ts';
import { ask, chunked, dial, type Reply, requestText, sendAndReset, type WireRequest } from './wire.ts';

/** How one request is sent. Responses that are not read are missing. */
type Sending = (hub: Hub, request: WireRequest, draws: Draws, held: Held) => Promise<Reply | undefined | void>;

/** Sockets that are neither read nor closed. Beyond a maximum, the oldest is closed. */
export type Held = { add(socket: Socket): void; dropAll(): void };

const TIMEOUT_MS = 250;
const MAX_HELD = 60;

export function holdSockets(): Held {
  const sockets = new Set<Socket>();
  return {
    add: (socket) => {
      sockets.add(socket.once('close', () => sockets.delete(socket)));
      const [oldest] = sockets;
      if (sockets.size > MAX_HELD) oldest?.resetAndDestroy();
    },
    dropAll: () => sockets.forEach((socket) => socket.destroy()),
  };
}

const read: Sending = (hub, request) => ask(hub, request, { timeoutMs: TIMEOUT_MS });
const resetLater: Sending = (hub, request, draws) => sendAndReset(hub, requestText(request), draws.below(4));
const resetAmid: Sending = (hub, request, draws) => {
  const bytes = requestText(request);
  return sendAndReset(hub, bytes.subarray(0, Math.floor(draws.below(bytes.length))), draws.below(2));
};

/** Half-closes the connection, and waits for the response briefly. */
const halfClose: Sending = async (hub, request, draws) => {
  const socket = dial(hub).resume();
  socket.end(requestText(request));
  await after(draws.below(20));
  socket.destroy();
};

/** One byte of the body is never sent. */
const withhold: Sending = async (hub, request, _, held) => {
  const socket = dial(hub);
  held.add(socket);
  socket.write(requestText({ ...request, headers: { 'Content-Length': '100000', ...request.headers } }));
};

/** The response stays in the socket. */
const ignore: Sending = async (hub, request, _, held) => {
  const socket = dial(hub).pause();
  held.add(socket);
  socket.write(requestText(request));
};

const inChunks: Sending = async (hub, request, draws) => {
  const socket = dial(hub).resume();
  const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked', ...request.headers };
  socket.write(
    requestText({ ...request, method: request.method ?? 'POST', headers, body: '' })
      .toString()
      .replace(/Content-Length: \d+\r\n/, ''),
  );
  socket.write(chunked(String(request.body ?? '{}')));
  await after(draws.below(20));
  socket.destroy();
};

const SENDINGS: readonly [Sending, ...Sending[]] = [
  read,
  ...Array<Sending>(25).fill(read),
  resetLater,
  resetLater,
  resetAmid,
  halfClose,
  halfClose,
  withhold,
  ignore,
  ignore,
  inChunks,
];

export function send(hub: Hub, request: WireRequest, draws: Draws, held: Held): Promise<Reply | undefined | void> {
  return draws.oneOf(SENDINGS)(hub, request, draws, held);
}
