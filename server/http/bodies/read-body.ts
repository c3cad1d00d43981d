// Reads a request body, once the route is found and the sender known: JSON in UTF-8 of a bounded size, depth and number
// of members, within the memory for all bodies. What nobody reads is discarded.
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
import { openTurnShare, type TurnShare } from '../../domain/time/turn-share.ts';
import { type Hold, openBodyBudget, type Sender } from './budget.ts';
import { type BodySize, collectBody } from './collector.ts';
import { watchPace } from './pace.ts';

/**
 * What came in the body: a JSON value, or the error that says why there is none, which REST and MCP word differently.
 */
export type Body = { value: unknown } | { error: HubError };

export const USUAL_BODY: BodySize = { bytes: MAX_BODY_BYTES, members: MAX_JSON_MEMBERS };
/** Of these members alone. */
export const hookBody = (names: readonly string[]): BodySize => ({
  bytes: MAX_HOOK_BODY_BYTES,
  members: MAX_JSON_MEMBERS,
  names: new Set(names),
});
export const PUBLIC_BODY: BodySize = { bytes: MAX_PUBLIC_BODY_BYTES, members: MAX_JSON_MEMBERS };

export type Bodies = {
  /** Throws what is refused unread, and what there is no memory for. */
  read(ctx: Context, sender: Sender, size: BodySize): Promise<Body>;
  /** The bytes of bodies that are being read. */
  bytes(): number;
};

/** `memoryShare` scales the limits on machines with little memory. */
export function openBodies(memoryShare = 1): Bodies {
  const budget = openBodyBudget(memoryShare);
  const share = openTurnShare(LARGE_BODIES_BYTES_PER_TURN);
  return {
    read: async (ctx, sender, size) => {
      if (!hasBody(ctx.req)) return { value: {} };
      assertJson(ctx, size.bytes);
      const hold = budget.hold(sender);
      try {
        const bytes = await gather(ctx.req, size, hold, share);
        if (bytes instanceof InvalidInput) return { error: bytes };
        if (isLarge(bytes.length)) await share(bytes.length);
        return await parse(bytes);
      } finally {
        hold.release();
      }
    },
    bytes: budget.bytes,
  };
}

function isLarge(bytes: number): boolean {
  return bytes >= LARGE_BODY_BYTES;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || announcedBy(headers) > 0;
}

function announcedBy(headers: IncomingMessage['headers']): number {
  return Number(headers['content-length'] ?? 0);
}

// Browsers cannot send JSON across origins without asking first, so this also keeps foreign pages out.
function assertJson(ctx: Context, limit: number): void {
  if (announcedBy(ctx.req.headers) > limit) throw payloadTooLarge(limit);
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

/** Resolves to the whole body, or to why it was not read to its end. Rejects with what does not concern its JSON. */
function gather(
  request: IncomingMessage,
  size: BodySize,
  hold: Hold,
  share: TurnShare,
): Promise<Buffer | InvalidInput> {
  if (request.destroyed) return Promise.resolve(BROKEN_OFF); // it emits no further 'close'
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | InvalidInput>();
  const body = collectBody(size, announcedBy(request.headers), hold);
  let isSettled = false;
  let isWaiting = false; // a chunk is waiting for its turn to be read
  let hasEnded = false;
  let arrived = 0;
  const stop = (): void => {
    isSettled = true;
    request.off('data', onData);
  };
  const settle = (result: Buffer | InvalidInput): void => {
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
    const waiting = isLarge(arrived) ? share(chunk.length) : undefined;
    if (waiting === undefined) return read(chunk);
    request.pause(); // the system would deliver megabytes of one connection in one turn
    isWaiting = true;
    void waiting.then(() => {
      isWaiting = false;
      // The client may have left meanwhile: memory taken now would never be released.
      if (!isSettled) read(chunk);
      if (hasEnded) finish();
      request.resume();
    });
  };
  const finish = (): void => {
    if (!isSettled && !isWaiting) settle(body.all());
  };
  // Node emits `end` even while the request is paused, once it has delivered the last chunk.
  const onEnd = (): void => {
    hasEnded = true;
    finish();
  };
  const onClose = (): void => {
    if (!hasEnded) settle(BROKEN_OFF);
  };
  request.on('data', onData).on('end', onEnd).on('close', onClose);
  // The request lives as long as its answer, which may be hours: its listeners would keep the bytes.
  return promise.finally(() => {
    pace.stop();
    request.off('data', onData).off('end', onEnd).off('close', onClose);
  });
}

const BROKEN_OFF = invalidInput('the body broke off');

// `onProtoPoisoning` is handed on to the parser below koa-bodyparser, whose types do not know it: a `__proto__` is an
// unknown member like any other, and no input is ever merged into an object of ours.
const FOR_PARSER = { onProtoPoisoning: 'ignore' };

const parser = bodyParser({
  ...FOR_PARSER,
  enableTypes: ['json'],
  detectJSON: () => true, // assertJson has looked
  strict: false, // a bare string or number is well-formed JSON; the doors say what is wrong with it
  jsonLimit: `${MAX_BODY_BYTES}b`, // collectBody() has checked
  onerror: () => {}, // it then leaves no body, which no JSON comes to
});

/** As much of a request as the parser looks at. */
class Source extends EventEmitter {
  readonly headers = {};
}

const nothingMore = async (): Promise<void> => {};

// The parser reads bytes that are no UTF-8 as U+FFFD; text that is not what was sent must not be stored.
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

/**
 * Shared by all bodies that are discarded. On a fast network, reading them at full speed would leave no time for other
 * requests.
 */
const shareOfDiscarded = openTurnShare(LARGE_BODIES_BYTES_PER_TURN);

/**
 * Takes what is left of the body without keeping it, so that its sender reads the answer; too much of it ends the
 * connection.
 */
export function discardBody({ req: request, res: response }: Context): void {
  if (!hasBody(request) || request.readableEnded || request.destroyed) return;
  if (announcedBy(request.headers) > MAX_DISCARDED_BYTES && !response.headersSent)
    response.setHeader('Connection', 'close');
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_DISCARDED_BYTES) return void request.socket.destroy();
    const waiting = shareOfDiscarded(chunk.length);
    if (waiting === undefined) return;
    request.pause();
    void waiting.then(() => request.resume());
  });
  request.resume();
}
