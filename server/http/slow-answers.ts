// Answers that come later than their question, written past Koa: as a stream that opens at once and is kept alive, or as
// JSON when it is there. Whoever closes the connection frees what waited for it.
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { MAX_WAITS, MAX_WAITS_PER_TOKEN, STREAM_BACKLOG_BYTES } from '../domain/limits.ts';
import { SECOND_MS } from '../domain/time.ts';
import type { Slow } from '../mcp/call.ts';
import type { Answer } from '../mcp/endpoint.ts';
import { openPlaces } from './places.ts';

export type SlowAnswers = {
  /** Throws when the token, or the hub, has as many open as it may. */
  begin(ctx: Context, tokenId: string, answer: Slow<Answer>): void;
  /** Has every answer come now, with what there is. */
  endAll(): void;
  /** How many answers are to come. */
  count(): number;
};

export function slowAnswers(beatSeconds: number): SlowAnswers {
  const places = openPlaces('waits and subscriptions', { all: MAX_WAITS, perToken: MAX_WAITS_PER_TOKEN });
  const open = new Set<AbortController>();
  let isEnding = false;

  const begin = (ctx: Context, tokenId: string, answer: Slow<Answer>): void => {
    places.take(ctx.res, tokenId);
    ctx.respond = false;
    ctx.status = 200;
    const response = ctx.res;
    if (response.destroyed) return;
    const line = new AbortController();
    open.add(line);
    response.on('error', () => response.destroy());
    response.on('close', () => {
      open.delete(line);
      line.abort();
    });
    if (isEnding) line.abort();
    const send = answer.isStream ? openStream(response, answer, beatSeconds) : () => {};
    void answer.run(line.signal, send).then((last) => {
      finish(response, last, isEnding);
    });
  };

  const endAll = (): void => {
    isEnding = true;
    for (const line of open) line.abort();
  };

  return { begin, endAll, count: () => open.size };
}

const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no', // nginx would hold it back
};

/** The answer puts a message on the stream. */
function openStream(response: ServerResponse, { progress }: Slow<Answer>, beatSeconds: number): (message: string) => void {
  response.writeHead(200, STREAM_HEADERS);
  const send = (message: string): void => write(response, frame(message));
  const beat = (seconds: number): void => write(response, `: ${seconds} s\n\n${progress === undefined ? '' : frame(progress(seconds))}`);
  let seconds = 0;
  beat(seconds);
  const timer = setInterval(() => beat((seconds += beatSeconds)), beatSeconds * SECOND_MS);
  response.on('close', () => clearInterval(timer));
  return send;
}

function frame(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}

// A reader a mebibyte behind is cut off.
function write(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return;
  response.write(text);
  if (response.writableLength > STREAM_BACKLOG_BYTES) response.destroy();
}

// A server that ends waits for its connections, so the last answer closes its own.
function finish(response: ServerResponse, { status, body = '' }: Answer, isEnding: boolean): void {
  if (response.destroyed) return;
  const { socket } = response;
  if (isEnding) response.on('finish', () => socket?.end());
  if (response.headersSent) return void response.end(frame(body));
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
