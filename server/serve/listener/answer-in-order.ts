// Handles the pipelined requests of a connection in order: each starts when the previous response is finished, so that
// a connection never holds more than one stream, wait or response. A client that pipelines too many is disconnected,
// also if each could be answered before the next is parsed: a read of 64 KiB can contain a thousand.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  MAX_PIPELINED_BODY_MS,
  MAX_UNANSWERED_REQUESTS,
  MAX_WAITING_BODIES,
  MAX_WAITING_HEADS,
  SENT_AHEAD_PER_TURN,
  WEIGHT_OF_TEXT,
} from '../../domain/limits.ts';
import { openTurnShare, yieldToConnections } from '../../domain/time/turn-share.ts';
import { announcedBytes, BUFFERED_BYTES, hasBody } from '../../http/bodies/announced.ts';
import type { Use } from './eviction.ts';
import { silenceParser } from './parser-calls.ts';

/** `isUnread` tells that it has a body that no handler reads: it will be refused, so others come first. */
type Exchange = [request: IncomingMessage, response: ServerResponse, isUnread?: boolean];

type Options = {
  /** Called for every connection that this closes. */
  onClosed: () => void;
  /** Called for every request with a body once all requests before it on its connection are answered. */
  onBody?: (request: IncomingMessage) => void;
  /** Called for every request that is answered before all of the body has arrived that a handler was to read. */
  onRefused?: (request: IncomingMessage, response: ServerResponse) => void;
  maxBodyMs?: number;
};

/** State is kept only as long as its connection. */
export function answerInOrder(
  handle: RequestListener,
  { onClosed, onBody = () => {}, onRefused = () => {}, maxBodyMs = MAX_PIPELINED_BODY_MS }: Options,
): { listener: (...exchange: Exchange) => void; useOf(socket: Socket): Use } {
  const waiting = new WeakMap<Socket, Exchange[]>();
  const current = new WeakMap<Socket, IncomingMessage>();
  const used = new WeakSet<Socket>();
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  const share = openTurnShare(SENT_AHEAD_PER_TURN, yieldToConnections);
  const isFirstInTurn = openFirstInTurn();
  const reading = openReading();
  const begin = (socket: Socket, [request, response, isUnread]: Exchange): void => {
    reading.resume(socket);
    current.set(socket, request);
    response.once('finish', () => {
      if (!request.complete && isUnread !== true) onRefused(request, response);
      end(socket);
    });
    handle(request, response);
  };
  // Otherwise, many pipelining connections would delay those that send one request at a time.
  const beginInTurn = (socket: Socket, next: Exchange): void => {
    const [request, , isUnread] = next;
    const turn = share(isUnread ? UNREAD_SHARE : 1, socket);
    if (turn === undefined) return begin(socket, next);
    if (hasBody(request)) reading.pause(socket);
    void turn.then(() => {
      if (!socket.destroyed) begin(socket, next);
    });
  };
  const startNext = (socket: Socket, next: Exchange, start: typeof begin): void => {
    if (hasBody(next[0])) onBody(next[0]);
    start(socket, next);
  };
  const bodies = openWaitingBodies();
  const end = (socket: Socket): void => {
    const next = waiting.get(socket)?.shift();
    const isLast = next?.[1].socket === null; // the previous response closes the connection
    clearTimeout(next && timers.get(next[0]));
    if (next !== undefined && !next[2]) bodies.remove(socket, next[0]);
    if (next !== undefined && !isLast) startNext(socket, next, beginInTurn);
    else if (!isLast) waiting.delete(socket);
  };
  const disconnect = (socket: Socket): void => {
    waiting.set(socket, []); // pipelined requests no longer run
    silenceParser(socket); // the same read may contain more
    onClosed();
    socket.destroy();
  };
  const boundBody = (socket: Socket, request: IncomingMessage): void => {
    const look = (): void => void (!request.complete && !socket.destroyed && disconnect(socket));
    const timer = setTimeout(look, maxBodyMs).unref();
    timers.set(request, timer);
    request.once('close', () => clearTimeout(timer)); // it would keep the body in memory after the client has left
  };
  const listener = (request: IncomingMessage, response: ServerResponse, isUnread = false): void => {
    const { socket } = request;
    const start = isFirstInTurn(socket) && !isUnread ? begin : beginInTurn;
    const ahead = waiting.get(socket);
    if (ahead === undefined) {
      waiting.set(socket, []);
      used.add(socket);
      return startNext(socket, [request, response, isUnread], start);
    }
    ahead.push([request, response, isUnread]);
    if (ahead.length >= MAX_UNANSWERED_REQUESTS || headsOf(ahead) > MAX_WAITING_HEADS) disconnect(socket);
    else if (hasBody(request)) {
      reading.pause(socket);
      if (isUnread) return;
      if (!bodies.add(socket, request)) return disconnect(socket);
      boundBody(socket, request);
    }
  };
  const useOf = (socket: Socket): Use => {
    if (waiting.has(socket)) return current.get(socket)?.complete === false ? 'receiving' : 'busy';
    return used.has(socket) ? 'idle' : 'new';
  };
  return { listener, useOf };
}

/** What a request with an unread body counts for in a turn. */
const UNREAD_SHARE = 4;

/** Counts what the bodies of waiting requests announce. */
function openWaitingBodies() {
  const held = new WeakMap<Socket, number>();
  let total = 0;
  const change = (socket: Socket, bytes: number): void => {
    if (socket.closed) return;
    if (!held.has(socket)) socket.once('close', () => (total -= held.get(socket) ?? 0));
    held.set(socket, (held.get(socket) ?? 0) + bytes);
    total += bytes;
  };
  return {
    /** Returns whether those of all connections are not too long. */
    add: (socket: Socket, request: IncomingMessage): boolean => {
      change(socket, weightOf(request));
      return total <= MAX_WAITING_BODIES;
    },
    remove: (socket: Socket, request: IncomingMessage): void => {
      if (hasBody(request)) change(socket, -weightOf(request));
    },
  };
}

/** Of a body in chunks, nothing is known. */
function weightOf(request: IncomingMessage): number {
  return announcedBytes(request) || BUFFERED_BYTES;
}

/**
 * Stops reading a connection for a moment, while a request with a body waits. Buffers that wait outlive the cheap
 * garbage collections, and those of bodies that are only discarded filled the memory. Not for long, since the end of
 * the client would go unnoticed.
 */
function openReading() {
  const paused = new Map<Socket, NodeJS.Timeout>();
  const resume = (socket: Socket): void => {
    const timer = paused.get(socket);
    if (timer === undefined) return;
    clearTimeout(timer);
    paused.delete(socket);
    if (!socket.destroyed && !socket.writableEnded) socket.resume(); // a connection that was refused stays paused
  };
  return {
    pause: (socket: Socket): void => {
      if (paused.has(socket)) return;
      paused.set(
        socket,
        setTimeout(() => resume(socket), MAX_READ_PAUSE_MS),
      );
      socket.pause();
    },
    resume,
  };
}

const MAX_READ_PAUSE_MS = 100;

/** Whether a request is the first of its connection in this turn of the event loop. */
function openFirstInTurn(): (socket: Socket) => boolean {
  const seen = new Set<Socket>();
  return (socket) => {
    if (seen.size === 0) setImmediate(() => seen.clear());
    const isFirst = !seen.has(socket);
    seen.add(socket);
    return isFirst;
  };
}

/** The estimated memory of the request heads, in bytes. */
function headsOf(waiting: readonly Exchange[]): number {
  const texts = waiting.flatMap(([{ url = '', rawHeaders }]) => [url, ...rawHeaders]);
  return texts.reduce((sum, text) => sum + text.length + WEIGHT_OF_TEXT, 0);
}
