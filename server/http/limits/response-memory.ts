// Limits the memory of responses: batches under construction, responses the client has not read yet, and unread stream
// events. They count together against one limit per user; above it, large responses are refused and lagging streams are
// closed. Above the hub's limits, the oldest batch ends its waits, and the oldest unread response is closed of the user
// who holds the most. Small responses are not counted: the operating system buffers them.
import type { ServerResponse } from 'node:http';
import type { Context, Middleware } from 'koa';
import { tooMuchUnread } from '../../domain/errors.ts';
import {
  LARGE_ANSWER_BYTES,
  MAX_BUILT_BYTES,
  MAX_UNREAD_BYTES,
  MAX_UNREAD_BYTES_PER_USER,
} from '../../domain/limits.ts';
import type { Recipient } from '../../domain/recipient.ts';
import { openFairTurns } from '../../domain/time/turn-share.ts';
import type { Metrics } from '../../events/metrics.ts';
import type { Full, Room } from '../../mcp/late-answer.ts';
import { userIdOf } from '../authenticate.ts';
import { isClosed, openCounts } from './connection-limits.ts';
import { openResponseRoom } from './response-room.ts';

export type ResponseMemory = {
  /** Counts the response of every request that completes immediately. */
  count: Middleware;
  /** Counts the bytes until the response closes; throws when the user has too many unread bytes. */
  hold(response: ServerResponse, userId: string | undefined, bytes: number): void;
  /**
   * Counts an unread event of a stream until the returned function is called. An event that several streams of one user
   * have not read counts once. Closes the stream if the user is above the limit.
   */
  holdStream(response: ServerResponse, userId: string, waiting: Buffer): () => void;
  /** For a read whose result becomes this response; see response-room.ts. */
  room(response: ServerResponse, userId: string): Promise<void> | undefined;
  /** For a response that is built call by call. The caller must release it or hand it over in every case. */
  build(response: ServerResponse, userId: string): Building;
};

export type Building = Pick<Room, 'take' | 'pressed' | 'pace'> & {
  /** Counts the whole response until it closes, as `hold` does, but never refuses bytes that were already taken. */
  handOver(bytes: number): void;
  release(): void;
};

type Held = { responses: Set<ServerResponse>; userId: string | undefined; bytes: number };
/** What one user has not read, oldest first. */
type Holder = { answers: Set<Held>; bytes: number };
/** Streams that have not read the same bytes, by user. */
type Shared = Map<string, Held>;
type Built = { bytes: number; press(): void };

/** Above this fraction of the limit, memory for unread responses is short. */
const SHORT = 0.5;
/** Above this fraction of the limit, batches that hold responses end their waits. */
const PRESSED = 0.75;

/** `memoryShare` scales the limits on machines with little memory. */
export function openResponseMemory({ unreadResponses }: Metrics, memoryShare = 1): ResponseMemory {
  const maxHeld = MAX_UNREAD_BYTES * memoryShare;
  const maxOfUser = MAX_UNREAD_BYTES_PER_USER * memoryShare;
  const maxBuilt = MAX_BUILT_BYTES * memoryShare;
  const holders = new Map<string | undefined, Holder>();
  const building = new Set<Built>(); // those that hold bytes, oldest first
  const shared = new WeakMap<Buffer, Shared>();
  const ofUsers = openCounts();
  const largeInTurn = openFairTurns();
  const room = openResponseRoom(
    () => heldBytes > SHORT * maxHeld,
    (userId) => (holders.get(userId)?.bytes ?? 0) > (SHORT * maxHeld) / holders.size,
  );
  let heldBytes = 0;
  let builtBytes = 0;

  const isBeyond = (userId: string, bytes: number): boolean => {
    const waiting = ofUsers.of(userId);
    return waiting > 0 && waiting + bytes > maxOfUser;
  };
  const isBeyondShare = (userId: string, bytes: number): boolean => {
    if (!isBeyond(userId, bytes)) return false;
    unreadResponses.refused += 1;
    return true;
  };
  const change = (holder: Holder, { userId }: Held, bytes: number): void => {
    heldBytes += bytes;
    holder.bytes += bytes;
    if (userId !== undefined) ofUsers.add(userId, bytes);
  };
  const release = (answer: Held): void => {
    const holder = holders.get(answer.userId);
    if (holder?.answers.delete(answer) !== true) return;
    change(holder, answer, -answer.bytes);
    if (holder.answers.size === 0) holders.delete(answer.userId);
    room.freed();
  };
  const keep = (answer: Held): void => {
    const holder = holders.getOrInsertComputed(answer.userId, () => ({ answers: new Set(), bytes: 0 }));
    holder.answers.add(answer);
    change(holder, answer, answer.bytes);
    if (heldBytes > maxHeld) cutOff();
  };
  const keepUntilClosed = (response: ServerResponse, userId: string | undefined, bytes: number): void => {
    const answer = { responses: new Set([response]), userId, bytes };
    keep(answer);
    response.once('close', () => release(answer));
  };
  /**
   * Users who read at once hold little, so those who read nothing do not cost them their responses. What still waits
   * for its turn could not be read yet, and goes only if nothing else does.
   */
  const cutOff = (): void => {
    while (heldBytes > maxHeld) {
      const answer = oldestOfLargest(holders.values(), isBegun) ?? oldestOfLargest(holders.values(), () => true);
      if (answer === undefined) return;
      if (answer.userId !== undefined) room.penalize(answer.userId);
      release(answer);
      unreadResponses.cutOff += 1;
      for (const response of answer.responses) response.destroy();
    }
  };
  const hold = (response: ServerResponse, userId: string | undefined, bytes: number): void => {
    if (bytes < LARGE_ANSWER_BYTES || isClosed(response)) return;
    if (userId !== undefined && isBeyondShare(userId, bytes)) throw tooMuchUnread();
    keepUntilClosed(response, userId, bytes);
  };
  const holdStream = (response: ServerResponse, userId: string, waiting: Buffer): (() => void) => {
    const ofEach: Shared = shared.get(waiting) ?? new Map();
    const known = ofEach.get(userId);
    if (known === undefined && isBeyond(userId, waiting.length)) {
      unreadResponses.cutOff += 1;
      response.destroy();
      return () => {};
    }
    const held = known ?? { responses: new Set(), userId, bytes: waiting.length };
    held.responses.add(response);
    shared.set(waiting, ofEach.set(userId, held));
    if (known === undefined) keep(held);
    return () => {
      held.responses.delete(response);
      if (held.responses.size > 0) return;
      ofEach.delete(userId);
      release(held);
    };
  };
  // Several large responses in one turn of the event loop would hold up all other requests for tens of milliseconds.
  const pace = async (response: ServerResponse, userId: string | undefined, bytes: number): Promise<void> => {
    if (bytes >= LARGE_ANSWER_BYTES) await largeInTurn(userId ?? '', bytes, () => isClosed(response));
  };
  const pressOldest = (): void => {
    let left = builtBytes;
    for (const { bytes, press } of building) {
      if (left <= PRESSED * maxBuilt) return;
      left -= bytes;
      press();
    }
  };

  const build = (response: ServerResponse, userId: string): Building => {
    const pressure = new AbortController();
    const built: Built = { bytes: 0, press: () => pressure.abort() };
    const add = (bytes: number): void => {
      built.bytes += bytes;
      builtBytes += bytes;
      ofUsers.add(userId, bytes);
    };
    const take = (bytes: number): Full | undefined => {
      if (bytes >= LARGE_ANSWER_BYTES && isBeyondShare(userId, bytes)) return 'user';
      if (bytes >= LARGE_ANSWER_BYTES && builtBytes + bytes > maxBuilt) return 'hub';
      building.add(built);
      add(bytes);
      if (builtBytes > PRESSED * maxBuilt) pressOldest();
      return undefined;
    };
    const end = (): void => {
      if (building.delete(built)) add(-built.bytes);
    };
    const handOver = (bytes: number): void => {
      const isTaken = building.has(built);
      end();
      if (!isTaken) return hold(response, userId, bytes);
      if (bytes >= LARGE_ANSWER_BYTES && !isClosed(response)) keepUntilClosed(response, userId, bytes);
    };
    return { take, pressed: pressure.signal, pace: (bytes) => pace(response, userId, bytes), handOver, release: end };
  };

  return {
    hold,
    holdStream,
    room: room.wait,
    build,
    count: async (ctx, next) => {
      await next();
      const bytes = ctx.length ?? 0;
      if (ctx.respond === false || bytes < LARGE_ANSWER_BYTES) return;
      hold(ctx.res, userIdOf(ctx), bytes);
      forgetOnceClosed(ctx);
      await pace(ctx.res, userIdOf(ctx), bytes);
    },
  };
}

/** Keeps neither the context nor the request, since a call may wait for minutes. */
export function recipientOf(ctx: Context, { room }: Pick<ResponseMemory, 'room'>): Recipient {
  const { socket, res } = ctx;
  const userId = userIdOf(ctx);
  const hasLeft = (): boolean => socket.destroyed;
  return userId === undefined ? { hasLeft } : { hasLeft, room: () => room(res, userId) };
}

// From then on it no longer counts, so it must not wait for its turn in memory.
function forgetOnceClosed(ctx: Context): void {
  const forget = (): void => {
    ctx.body = null;
  };
  if (isClosed(ctx.res)) forget();
  else ctx.res.once('close', forget);
}

function isBegun({ responses }: Held): boolean {
  for (const { headersSent } of responses) if (headersSent) return true;
  return false;
}

/**
 * The oldest such response of the holder with the most bytes in them; among equal holders, of the first. Rare, and
 * looking at thousands takes microseconds.
 */
function oldestOfLargest(holders: Iterable<Holder>, counts: (answer: Held) => boolean): Held | undefined {
  let largest: { bytes: number; oldest: Held | undefined } = { bytes: 0, oldest: undefined };
  for (const { answers } of holders) {
    const counted = [...answers].filter(counts);
    const bytes = counted.reduce((sum, answer) => sum + answer.bytes, 0);
    if (bytes > largest.bytes) largest = { bytes, oldest: counted[0] };
  }
  return largest.oldest;
}
