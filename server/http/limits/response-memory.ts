// Limits the memory of responses: batches that are being built call by call, responses that the client has not read
// yet, and unread events of streams. All of a user's count against one limit; above it, large responses are refused and
// streams that are behind are closed. Above the hub's limits, the oldest batch ends its waits and the oldest unread
// response is closed. Small responses are left to the buffers of the operating system.
import type { ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import { tooMuchUnread } from '../../domain/errors.ts';
import {
  LARGE_ANSWER_BYTES,
  MAX_BUILT_BYTES,
  MAX_UNSENT_BYTES,
  MAX_UNSENT_BYTES_PER_USER,
} from '../../domain/limits.ts';
import type { Metrics } from '../../events/metrics.ts';
import type { Full, Room } from '../../mcp/call.ts';
import { userIdOf } from '../authenticate.ts';
import { isOver, openCounts } from './connection-limits.ts';

export type ResponseMemory = {
  /** Counts the answer of every request that ends at once. */
  count: Middleware;
  /** Holds the bytes until the response closes; throws when the user has too many waiting. */
  hold(response: ServerResponse, userId: string | undefined, bytes: number): void;
  /**
   * Counts an event that a stream has not read, until the returned function is called. An event that several streams of
   * a user have not read counts once. Closes the stream if the user is above the limit.
   */
  holdStream(response: ServerResponse, userId: string, waiting: Buffer): () => void;
  /** For an answer that is built call by call. It must be released or handed over, whatever becomes of it. */
  build(userId: string): Building;
};

export type Building = Pick<Room, 'take' | 'pressed'> & {
  /** Holds the whole answer until the response closes, as `hold` does; what was taken for it is never refused. */
  handOver(response: ServerResponse, bytes: number): void;
  release(): void;
};

type Held = { responses: Set<ServerResponse>; userId: string | undefined; bytes: number };
/** Streams waiting for the same bytes, by user. */
type Shared = Map<string, Held>;
type Built = { bytes: number; press(): void };

/** Above this part of the limit, batches that wait while holding responses end their waits. */
const PRESSED = 0.75;

/** `memoryShare` scales the limits on machines with little memory. */
export function openResponseMemory({ unsent }: Metrics, memoryShare = 1): ResponseMemory {
  const maxHeld = MAX_UNSENT_BYTES * memoryShare;
  const maxOfUser = MAX_UNSENT_BYTES_PER_USER * memoryShare;
  const maxBuilt = MAX_BUILT_BYTES * memoryShare;
  const allHeld = new Set<Held>(); // the longest waiting first
  const building = new Set<Built>(); // those that hold something, the first first
  const shared = new WeakMap<Buffer, Shared>();
  const ofUsers = openCounts();
  let heldBytes = 0;
  let builtBytes = 0;

  const isBeyond = (userId: string, bytes: number): boolean => {
    const waiting = ofUsers.of(userId);
    return waiting > 0 && waiting + bytes > maxOfUser;
  };
  const isBeyondShare = (userId: string, bytes: number): boolean => {
    if (!isBeyond(userId, bytes)) return false;
    unsent.refused += 1;
    return true;
  };
  const change = ({ userId }: Held, bytes: number): void => {
    heldBytes += bytes;
    if (userId !== undefined) ofUsers.add(userId, bytes);
  };
  const release = (answer: Held): void => {
    if (allHeld.delete(answer)) change(answer, -answer.bytes);
  };
  const keep = (answer: Held): void => {
    allHeld.add(answer);
    change(answer, answer.bytes);
    if (heldBytes > maxHeld) cutOldest();
  };
  const keepUntilClosed = (response: ServerResponse, userId: string | undefined, bytes: number): void => {
    const answer = { responses: new Set([response]), userId, bytes };
    keep(answer);
    response.once('close', () => release(answer));
  };
  const cutOldest = (): void => {
    for (const answer of allHeld) {
      if (heldBytes <= maxHeld) return;
      release(answer);
      unsent.cutOff += 1;
      for (const response of answer.responses) response.destroy();
    }
  };
  const hold = (response: ServerResponse, userId: string | undefined, bytes: number): void => {
    if (bytes < LARGE_ANSWER_BYTES || isOver(response)) return;
    if (userId !== undefined && isBeyondShare(userId, bytes)) throw tooMuchUnread();
    keepUntilClosed(response, userId, bytes);
  };
  const holdStream = (response: ServerResponse, userId: string, waiting: Buffer): (() => void) => {
    const ofEach: Shared = shared.get(waiting) ?? new Map();
    const known = ofEach.get(userId);
    if (known === undefined && isBeyond(userId, waiting.length)) {
      unsent.cutOff += 1;
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
  const pressOldest = (): void => {
    let left = builtBytes;
    for (const { bytes, press } of building) {
      if (left <= PRESSED * maxBuilt) return;
      left -= bytes;
      press();
    }
  };

  const build = (userId: string): Building => {
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
    const handOver = (response: ServerResponse, bytes: number): void => {
      const isTaken = building.has(built);
      end();
      if (!isTaken) return hold(response, userId, bytes);
      if (bytes >= LARGE_ANSWER_BYTES && !isOver(response)) keepUntilClosed(response, userId, bytes);
    };
    return { take, pressed: pressure.signal, handOver, release: end };
  };

  return {
    hold,
    holdStream,
    build,
    count: async (ctx, next) => {
      await next();
      if (ctx.respond !== false) hold(ctx.res, userIdOf(ctx), ctx.length ?? 0);
    },
  };
}
