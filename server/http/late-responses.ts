// Writes late answers directly, bypassing Koa: as a stream or JSON that opens immediately and is kept alive, or as JSON
// when the result is ready. Closing the connection releases all its resources. A failed response is logged and closed.

import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'koa';
import { TryLater } from '../domain/errors.ts';
import { MAX_BODY_BYTES, MAX_WAITS, MAX_WAITS_PER_TOKEN, STREAM_BACKLOG_BYTES } from '../domain/limits.ts';
import { isHighSurrogate } from '../domain/text/characters.ts';
import { SECOND_MS } from '../domain/time/time.ts';
import type { Hub } from '../hub.ts';
import { BROKEN_ANSWER } from '../mcp/endpoint.ts';
import type { Late, LateAnswer, Room } from '../mcp/late-answer.ts';
import { statusOf } from './error-statuses.ts';
import { noteError } from './json-response.ts';
import { type Holder, isClosed, openConnectionLimits, WAITS_SHARE, within } from './limits/connection-limits.ts';
import type { ResponseMemory } from './limits/response-memory.ts';
import { openBatchConcurrency } from './limits/user-concurrency.ts';
import { requestIdOf } from './request-log.ts';

export type LateResponses = {
  /** Throws when the token, its user or the hub has reached its limit of open calls. */
  begin(ctx: Context, holder: Holder, answer: Late<LateAnswer>): void;
  /** Ends every wait, so that each response is sent now with the current state. */
  endAll(): void;
  /** The number of pending responses, as the limits count them. */
  count(): number;
};

type Limits = Pick<Hub, 'log' | 'settings' | 'maxConnections' | 'memoryShare'>;

export function openLateResponses(
  { log, settings, maxConnections, memoryShare }: Limits,
  responseMemory: ResponseMemory,
  beatSeconds: number,
): LateResponses {
  const limits = openConnectionLimits(
    'waiting calls and subscriptions',
    within(maxConnections, WAITS_SHARE, {
      all: MAX_WAITS,
      perToken: MAX_WAITS_PER_TOKEN,
      perUser: { max: settings.max_waits_per_user, key: 'max_waits_per_user' },
    }),
  );
  const concurrency = openBatchConcurrency(memoryShare);
  const open = new Set<AbortController>();
  let isEnding = false;

  const begin = (ctx: Context, holder: Holder, answer: Late<LateAnswer>): void => {
    const gone = new AbortController();
    const release = limits.takeForWork(ctx.res, holder, () => gone.abort(), answer.calls);
    ctx.respond = false;
    ctx.status = 200;
    const response = ctx.res;
    if (isClosed(response)) return release();
    open.add(gone);
    response.on('error', () => response.destroy());
    response.on('close', () => {
      open.delete(gone);
      gone.abort();
    });
    if (isEnding) gone.abort();
    const send = answer.opens === 'stream' ? openStream(response, answer, beatSeconds) : () => {};
    if (answer.opens === 'JSON') openJson(response, beatSeconds);
    const requestId = requestIdOf(ctx);
    const userId = holder.user_id;
    const bytes = ctx.request.length ?? MAX_BODY_BYTES;
    const building = responseMemory.build(response, userId);
    const end = async ({ status, pieces, error }: LateAnswer): Promise<void> => {
      if (error !== undefined) noteError(ctx, error);
      const bytes = await encode(pieces);
      building.handOver(lengthOf(bytes));
      const framed = answer.opens === 'stream' ? [FRAME_START, ...bytes, FRAME_END] : bytes;
      finish(response, { status, bytes: framed }, isEnding);
    };
    const fail = (error: unknown): void => {
      if (error instanceof TryLater) {
        noteError(ctx, error.code);
        return refuse(response, error, isEnding);
      }
      log.error({ err: error, request_id: requestId }, 'response failed');
      noteError(ctx, BROKEN_ANSWER.error);
      abort(response, isEnding);
    };
    const room: Room = {
      ...building,
      isAbandoned: () => isClosed(response),
      inTurn: async (work) => {
        await nextTurn(); // a connection that was reset shows this only after its data
        return concurrency.take(userId, bytes, work);
      },
    };
    void answer
      .run(gone.signal, send, room)
      .then(end)
      .catch(fail)
      .finally(() => {
        release();
        building.release();
      });
  };

  const endAll = (): void => {
    isEnding = true;
    for (const gone of open) gone.abort();
  };

  return { begin, endAll, count: limits.count };
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' };
const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no', // nginx would buffer it
};

/** Clients try twice, so this allows for a restart of five seconds. */
const RETRY_MS = 3_000;

/** Returns a function that sends a message on the stream. */
function openStream(
  response: ServerResponse,
  { progress, eventId }: Late<LateAnswer>,
  beatSeconds: number,
): (message: string) => void {
  response.writeHead(200, STREAM_HEADERS);
  const send = (message: string): void => write(response, frame(message));
  const beat = (seconds: number): void =>
    write(response, `: ${seconds} s\n\n${progress === undefined ? '' : frame(progress(seconds))}`);
  if (eventId !== undefined) write(response, `id: ${eventId}\nretry: ${RETRY_MS}\ndata: \n\n`);
  let seconds = 0;
  keepAlive(response, beatSeconds, () => {
    beat(seconds);
    seconds += beatSeconds;
  });
  return send;
}

/** JSON may begin with any number of spaces. */
function openJson(response: ServerResponse, beatSeconds: number): void {
  response.writeHead(200, JSON_HEADERS);
  keepAlive(response, beatSeconds, () => write(response, ' '));
}

function keepAlive(response: ServerResponse, beatSeconds: number, beat: () => void): void {
  beat();
  const timer = setInterval(beat, beatSeconds * SECOND_MS);
  response.on('close', () => clearInterval(timer));
}

function frame(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}

// A reader that falls 1 MiB behind is disconnected.
function write(response: ServerResponse, text: string): void {
  if (response.writableEnded || response.destroyed) return;
  response.write(text);
  if (response.writableLength > STREAM_BACKLOG_BYTES) response.destroy();
}

function refuse(response: ServerResponse, { code, message, retryAfterSeconds }: TryLater, isEnding: boolean): void {
  if (response.headersSent) return void response.destroy();
  response.setHeader('Retry-After', retryAfterSeconds);
  finish(
    response,
    { status: statusOf(code), bytes: [Buffer.from(JSON.stringify({ error: code, message }))] },
    isEnding,
  );
}

function abort(response: ServerResponse, isEnding: boolean): void {
  if (response.headersSent) response.destroy();
  else
    finish(
      response,
      { status: BROKEN_ANSWER.status, bytes: BROKEN_ANSWER.pieces.map((piece) => Buffer.from(piece)) },
      isEnding,
    );
}

/** An encoded response, in pieces. */
type Encoded = { status: number; bytes: readonly Buffer[] };

// On shutdown, the server waits for its connections, so the last response closes its connection.
function finish(response: ServerResponse, { status, bytes }: Encoded, isEnding: boolean): void {
  if (response.destroyed) return;
  const { socket } = response;
  if (isEnding) response.on('finish', () => socket?.end());
  if (!response.headersSent) response.writeHead(status, { ...JSON_HEADERS, 'Content-Length': lengthOf(bytes) });
  response.cork();
  for (const piece of bytes) response.write(piece);
  response.end();
}

const FRAME_START = Buffer.from('event: message\ndata: ');
const FRAME_END = Buffer.from('\n\n');

/** Characters encoded per turn of the event loop, which takes 1 ms; a batch has up to 8 MiB. */
const ENCODED_AT_ONCE = 256 * 1024;

async function encode(texts: readonly string[]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let encoded = 0;
  for (const piece of texts.flatMap(split)) {
    if (encoded > 0 && encoded + piece.length > ENCODED_AT_ONCE) {
      await nextTurn();
      encoded = 0;
    }
    pieces.push(Buffer.from(piece));
    encoded += piece.length;
  }
  return pieces;
}

function split(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + ENCODED_AT_ONCE;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1; // keeps surrogate pairs together
    pieces.push(text.slice(start, end));
  }
  return pieces;
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
