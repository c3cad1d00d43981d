// Handles the pipelined requests of a connection in order: each starts when the previous response is finished, so that
// a connection never holds more than one stream, wait or response. A client that pipelines too many is disconnected,
// also if each could be answered before the next is parsed: a read of 64 KiB can contain a thousand.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  MAX_PIPELINED_BODY_MS,
  MAX_UNANSWERED_REQUESTS,
  MAX_WAITING_HEADS,
  SENT_AHEAD_PER_TURN,
  WEIGHT_OF_TEXT,
} from '../domain/limits.ts';
import { openTurnShare } from '../domain/time/turn-share.ts';
import { hasBody } from '../http/bodies/announced.ts';
import type { Use } from './eviction.ts';
import { silenceParser } from './parser-calls.ts';

type Exchange = [request: IncomingMessage, response: ServerResponse];

/** Calls `onClosed` for every connection that it closes. State is kept only as long as its connection. */
export function answerInOrder(
  handle: RequestListener,
  onClosed: () => void,
  maxBodyMs = MAX_PIPELINED_BODY_MS,
): { listener: RequestListener; useOf(socket: Socket): Use } {
  const waiting = new WeakMap<Socket, Exchange[]>();
  const current = new WeakMap<Socket, IncomingMessage>();
  const used = new WeakSet<Socket>();
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  const share = openTurnShare(SENT_AHEAD_PER_TURN);
  const isFirstInTurn = openFirstInTurn();
  const begin = (socket: Socket, [request, response]: Exchange): void => {
    current.set(socket, request);
    response.once('finish', () => end(socket));
    handle(request, response);
  };
  // Otherwise, many pipelining connections would delay those that send one request at a time.
  const beginInTurn = (socket: Socket, next: Exchange): void => {
    const turn = share(1);
    if (turn === undefined) return begin(socket, next);
    void turn.then(() => {
      if (!socket.destroyed) begin(socket, next);
    });
  };
  const end = (socket: Socket): void => {
    const next = waiting.get(socket)?.shift();
    const isLast = next?.[1].socket === null; // the previous response closes the connection
    clearTimeout(next && timers.get(next[0]));
    if (next !== undefined && !isLast) beginInTurn(socket, next);
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
    timers.set(request, setTimeout(look, maxBodyMs).unref());
  };
  const listener: RequestListener = (request, response) => {
    const { socket } = request;
    const start = isFirstInTurn(socket) ? begin : beginInTurn;
    const ahead = waiting.get(socket);
    if (ahead === undefined) {
      waiting.set(socket, []);
      used.add(socket);
      return start(socket, [request, response]);
    }
    ahead.push([request, response]);
    if (ahead.length >= MAX_UNANSWERED_REQUESTS || headsOf(ahead) > MAX_WAITING_HEADS) disconnect(socket);
    else if (hasBody(request)) boundBody(socket, request);
  };
  const useOf = (socket: Socket): Use => {
    if (waiting.has(socket)) return current.get(socket)?.complete === false ? 'receiving' : 'busy';
    return used.has(socket) ? 'idle' : 'new';
  };
  return { listener, useOf };
}

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
