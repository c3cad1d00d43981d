// Reads a request body after routing and authentication: JSON in UTF-8 with limits on size, depth and number of
// members, within a memory budget for all bodies. Unread bodies are discarded.
import { isUtf8 } from 'node:buffer';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import {
  type HubError,
  InvalidInput,
  invalidInput,
  payloadTooLarge,
  unsupportedMediaType,
} from '../../domain/errors.ts';
import {
  LARGE_BODIES_BYTES_PER_TURN,
  LARGE_BODY_BYTES,
  MAX_BODY_BYTES,
  MAX_DISCARDED_BYTES,
  MAX_HOOK_BODY_BYTES,
  MAX_JSON_MEMBERS,
  MAX_PUBLIC_BODY_BYTES,
} from '../../domain/limits.ts';
import { openTurnShare, type TurnShare, yieldToConnections } from '../../domain/time/turn-share.ts';
import { announcedBytes, asksToContinue, hasBody } from './announced.ts';
import { type Hold, openBodyBudget, type Sender } from './budget.ts';
import { type BodySize, type Collected, collectBody } from './collector.ts';
import { watchPace } from './pace.ts';

/** A JSON value, or an error that REST and MCP report differently. */
export type Body = { value: unknown } | { error: HubError };

export const USUAL_BODY: BodySize = { bytes: MAX_BODY_BYTES, members: MAX_JSON_MEMBERS };
/** Keeps only these members. */
export const hookBody = (names: readonly string[]): BodySize => ({
  bytes: MAX_HOOK_BODY_BYTES,
  members: MAX_JSON_MEMBERS,
  names: new Set(names),
});
export const PUBLIC_BODY: BodySize = { bytes: MAX_PUBLIC_BODY_BYTES, members: MAX_JSON_MEMBERS };

export type Bodies = {
  /** Throws when the body is refused without reading it or exceeds the memory budget. */
  read(ctx: Context, sender: Sender, size: BodySize): Promise<Body>;
  /** Like `read`, for a check before the handler reads the same body. */
  readAhead(ctx: Context, sender: Sender, size: BodySize): Promise<Body>;
  /** The number of bytes held by bodies being read. */
  bytes(): number;
};

/** `memoryShare` scales the limits on machines with little memory. */
export function openBodies(memoryShare = 1): Bodies {
  const budget = openBodyBudget(memoryShare);
  const share = openTurnShare(LARGE_BODIES_BYTES_PER_TURN, yieldToConnections);
  const ahead = new WeakMap<Context, Body>();
  const read: Bodies['read'] = async (ctx, sender, size) => {
    if (!hasBody(ctx.req)) return { value: {} };
    assertJson(ctx, size.bytes);
    const hold = budget.hold(sender);
    if (asksToContinue(ctx.req)) ctx.res.writeContinue();
    try {
      const body = await gather(ctx.req, size, hold, share);
      if (body instanceof InvalidInput) return { error: body };
      if (isLarge(body.weight())) await share(body.weight(), ctx.socket);
      return ctx.socket.destroyed ? { error: ABORTED } : await parse(body.all());
    } finally {
      hold.release();
    }
  };
  return {
    read: async (ctx, sender, size) => ahead.get(ctx) ?? read(ctx, sender, size),
    readAhead: async (ctx, sender, size) => {
      const body = await read(ctx, sender, size);
      ahead.set(ctx, body);
      return body;
    },
    bytes: budget.bytes,
  };
}

function isLarge(bytes: number): boolean {
  return bytes >= LARGE_BODY_BYTES;
}

// Browsers send a CORS preflight before cross-origin JSON, so this also keeps foreign pages out.
function assertJson(ctx: Context, limit: number): void {
  if (announcedBytes(ctx.req) > limit) throw payloadTooLarge(limit);
  const [type = '', ...parameters] = ctx
    .get('content-type')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (type !== 'application/json') throw unsupportedMediaType('send the body with Content-Type: application/json');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw unsupportedMediaType('the body must be UTF-8');
  const encoding = ctx.get('content-encoding').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') throw unsupportedMediaType('the body must not be compressed');
}

/** Resolves when the whole body has arrived, or to an error in its JSON. Rejects with any other error. */
function gather(
  request: IncomingMessage,
  size: BodySize,
  hold: Hold,
  share: TurnShare,
): Promise<Collected | InvalidInput> {
  if (request.destroyed) return Promise.resolve(ABORTED); // it does not emit 'close' again
  const { promise, resolve, reject } = Promise.withResolvers<Collected | InvalidInput>();
  const body = collectBody(size, announcedBytes(request), hold);
  let isSettled = false;
  let isWaiting = false; // a chunk is waiting for its turn to be read
  let hasEnded = false;
  let arrived = 0;
  const stop = (): void => {
    isSettled = true;
    request.off('data', onData);
  };
  const settle = (result: Collected | InvalidInput): void => {
    stop();
    resolve(result);
  };
  const fail = (error: unknown): void => {
    stop();
    reject(error);
  };
  const pace = watchPace(fail);
  const attempt = (step: () => InvalidInput | void): void => {
    try {
      const fault = step();
      if (fault !== undefined) settle(fault);
    } catch (error) {
      fail(error);
    }
  };
  const read = (chunk: Buffer): void => attempt(() => body.read(chunk));
  const onData = (chunk: Buffer): void => {
    pace.add(chunk.length);
    arrived += chunk.length;
    attempt(() => body.count(chunk));
    if (isSettled) return;
    const waiting = isLarge(arrived) ? share(chunk.length, request.socket) : undefined;
    if (waiting === undefined) return read(chunk);
    request.pause(); // the system could deliver megabytes of one connection in one turn
    isWaiting = true;
    void waiting.then(() => {
      isWaiting = false;
      // If the client has disconnected meanwhile, memory taken now would never be released.
      if (!isSettled) read(chunk);
      if (hasEnded) finish();
      request.resume();
    });
  };
  const finish = (): void => {
    if (!isSettled && !isWaiting) settle(body);
  };
  // Node emits `end` after the last chunk even while the request is paused.
  const onEnd = (): void => {
    hasEnded = true;
    finish();
  };
  const onClose = (): void => {
    if (!hasEnded) settle(ABORTED);
  };
  request.on('data', onData).on('end', onEnd).on('close', onClose);
  // The request lives as long as its response, possibly hours, and its listeners would keep the bytes in memory.
  return promise.finally(() => {
    pace.stop();
    request.off('data', onData).off('end', onEnd).off('close', onClose);
  });
}

const ABORTED = invalidInput('the body ended early');

// koa-bodyparser passes `onProtoPoisoning` on to its parser, but its types do not declare it. `__proto__` is treated as
// any other unknown member: input is never merged into an existing object.
const FOR_PARSER = { onProtoPoisoning: 'ignore' };

const parser = bodyParser({
  ...FOR_PARSER,
  enableTypes: ['json'],
  detectJSON: () => true, // assertJson has checked the type
  strict: false, // a bare string or number is valid JSON; REST and MCP report what is wrong with it
  jsonLimit: `${MAX_BODY_BYTES}b`, // collectBody has checked the size
  onerror: () => {}, // the body stays undefined, which no valid JSON yields
});

/** The part of a request that the parser uses. */
class Source extends EventEmitter {
  readonly headers = {};
}

const nothingMore = async (): Promise<void> => {};

// The parser replaces invalid UTF-8 with U+FFFD, so invalid bytes are rejected: altered text must not be stored.
async function parse(bytes: Buffer): Promise<Body> {
  if (!isUtf8(bytes)) return { error: invalidInput('the body must be UTF-8') };
  const source = new Source();
  const request: { body?: unknown } = {};
  const parsing = parser({ req: source, request } as unknown as Context, nothingMore);
  source.emit('data', bytes);
  source.emit('end');
  await parsing;
  const value = request.body;
  return value === undefined || value === '' ? { error: invalidInput('the body must be JSON') } : { value };
}

/** Drains the rest of the body so that the client reads the response; closes the connection if the rest is too long. */
export function discardBody({ req: request, res: response }: Context): void {
  if (!hasBody(request) || request.readableEnded || request.destroyed) return;
  const isUninvited = asksToContinue(request) && request.readableFlowing === null; // it may never be sent
  if ((isUninvited || announcedBytes(request) > MAX_DISCARDED_BYTES) && !response.headersSent)
    response.setHeader('Connection', 'close');
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_DISCARDED_BYTES) request.socket.destroy();
  });
  request.resume();
}
