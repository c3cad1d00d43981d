// Serves event streams: server-sent events with ids and heartbeats.
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'koa';
import type { Caller } from '../../domain/accounts/caller.ts';
import { type Change, changeData } from '../../domain/changes.ts';
import { unavailable } from '../../domain/errors.ts';
import type { StreamEvent } from '../../domain/events.ts';
import { MAX_STREAMS, MAX_STREAMS_PER_TOKEN, STREAM_RETRY_MS } from '../../domain/limits.ts';
import { isoTime, SECOND_MS } from '../../domain/time/time.ts';
import { openTurnShare, type TurnShare } from '../../domain/time/turn-share.ts';
import type { Hub } from '../../hub.ts';
import { perform } from '../../operations/operation.ts';
import { type Following, followEvents } from '../../operations/records/follow-events.ts';
import { authenticate, streamBearerOf } from '../authenticate.ts';
import { isClosed, openConnectionLimits, STREAMS_SHARE, within } from '../limits/connection-limits.ts';
import type { ResponseMemory } from '../limits/response-memory.ts';
import { serveCheckup } from './checkup-stream.ts';
import { keepFrames } from './event-frames.ts';
import { STREAM_HEADERS, writerTo } from './stream-writer.ts';

export type EventStreams = {
  handle(ctx: Context): Promise<void>;
  /** Ends every open stream; readers reconnect automatically. */
  endOpen(): void;
  /** Also those that are opened from now on. */
  endAll(): void;
  /** The number of open and opening streams, as the limits count them. */
  count(): number;
};

export function eventStreams(hub: Hub, responseMemory: ResponseMemory): EventStreams {
  const limits = openConnectionLimits(
    'event streams',
    within(hub.maxConnections, STREAMS_SHARE, {
      all: MAX_STREAMS,
      perToken: MAX_STREAMS_PER_TOKEN,
      perUser: { max: hub.settings.max_streams_per_user, key: 'max_streams_per_user' },
    }),
  );
  const open = new Set<ServerResponse>();
  const frames = keepFrames();
  const closing = openTurnShare(CUT_OFF_AT_ONCE);
  let isEnding = false;
  const beatAll = (): void =>
    void beat(hub, [...open]).catch((error: unknown) => hub.log.error({ err: error }, 'heartbeat failed'));
  setInterval(beatAll, hub.settings.heartbeat_seconds * SECOND_MS).unref();
  const endOpen = (): void => open.forEach((response) => response.end());
  return {
    handle: async (ctx) => {
      const bearer = streamBearerOf(ctx);
      if (serveCheckup(hub, ctx, bearer)) return;
      const caller = await authenticate(hub, ctx, bearer);
      let isTaken = false;
      // Runs before the first await, so that simultaneous requests count each other.
      const release = limits.take(ctx.res, caller, () => {
        isTaken = true;
        if (open.has(ctx.res)) ctx.res.end();
      });
      try {
        const hold = (waiting: Buffer): (() => void) => responseMemory.holdStream(ctx.res, caller.user_id, waiting);
        const following = await openFor(hub, ctx, caller);
        if (isTaken) {
          following.end();
          throw unavailable('the hub has reached its limit of event streams; try again later');
        }
        start(hub, ctx, following, { open, frames, hold, closing });
        if (isEnding) ctx.res.end();
      } catch (error) {
        release();
        throw error;
      }
    },
    endOpen,
    endAll: () => {
      isEnding = true;
      endOpen();
    },
    count: limits.count,
  };
}

async function openFor(hub: Hub, ctx: Context, caller: Caller): Promise<Following> {
  const following = await perform(followEvents, hub, caller, inputOf(ctx));
  try {
    const unwatch = await following.watchAccess(() => endOnceOpen(ctx.res));
    const end = (): void => {
      unwatch();
      following.end();
    };
    return { ...following, end };
  } catch (error) {
    following.end();
    throw error;
  }
}

// Ended before its headers, the response would be Koa's empty 404. The headers are sent within this turn.
function endOnceOpen(response: ServerResponse): void {
  if (response.headersSent) response.end();
  else setImmediate(() => response.end());
}

/** Closing a connection takes 0.1 ms, and one commit can put thousands of readers too far behind. */
const CUT_OFF_AT_ONCE = 20;
const BEATS_AT_ONCE = 500;

// Writing to 20,000 streams in one turn would block all other requests.
async function beat(hub: Hub, responses: readonly ServerResponse[]): Promise<void> {
  const bytes = Buffer.from(heartbeat(hub));
  for (const [index, response] of responses.entries()) {
    if (index % BEATS_AT_ONCE === BEATS_AT_ONCE - 1) await nextTurn();
    if (!response.writableEnded && !response.destroyed) response.write(bytes);
  }
}

function inputOf(ctx: Context): object {
  const { network_id, last_event_id, changes } = ctx.query;
  const lastId = ctx.get('last-event-id') || last_event_id;
  return {
    ...(network_id !== undefined && { network_id }),
    ...(lastId !== undefined && { last_event_id: lastId }),
    ...(changes !== undefined && { changes }),
    ...ctx.params,
  };
}

type Streaming = {
  open: Set<ServerResponse>;
  frames: ReturnType<typeof keepFrames>;
  hold: (waiting: Buffer) => () => void;
  closing: TurnShare;
};

// Writes to the response directly: with a stream as body, Koa would raise an application error at every disconnect.
function start(hub: Hub, ctx: Context, following: Following, { open, frames, hold, closing }: Streaming): void {
  ctx.respond = false;
  const response = ctx.res;
  if (isClosed(response) || response.writableEnded) return following.end();
  open.add(response);
  const unwatchChanges = following.watchChanges(changesWriter(response));
  response.on('close', () => {
    unwatchChanges();
    open.delete(response);
    following.end();
  });
  response.on('error', () => response.destroy());
  response.socket?.setNoDelay(true);
  response.writeHead(200, STREAM_HEADERS);
  response.write(opening(hub, following));
  const broken = (error: unknown): void => {
    hub.log.error({ err: error }, 'event stream failed');
    response.destroy();
  };
  let isCutOff = false;
  const frame = ctx.params.alias === undefined ? frames.ofNetwork : frames.ofAgent;
  const frameOf = (event: StreamEvent): Buffer => frame(event, following.idOf);
  const cutOff = async (): Promise<void> => {
    if (isCutOff) return;
    isCutOff = true;
    hub.metrics.slowReaders += 1;
    await closing(1);
    response.destroy();
  };
  following.follow({ ...writerTo(response, { frameOf, cutOff, hold }), broken }).catch(broken);
}

/** A reader that falls behind gets each change once, after it has read what came before. */
function changesWriter(response: ServerResponse): (change: Change) => void {
  const waiting = new Set<string>();
  const write = (): void => {
    if (response.writableNeedDrain || response.writableEnded || response.destroyed) return;
    for (const each of waiting) response.write(each);
    waiting.clear();
  };
  response.on('drain', write);
  return (change) => {
    waiting.add(frame('changed', changeData(change)));
    write();
  };
}

function opening(hub: Hub, following: Following): string {
  const { id } = following;
  const retry = `retry: ${Math.round(STREAM_RETRY_MS * (0.75 + hub.ids.fraction() / 2))}\n\n`;
  const position =
    following.resync === undefined
      ? `id: ${id}\n\n`
      : frame('resync', { type: 'resync', reason: following.resync, id }, id);
  return retry + heartbeat(hub) + position;
}

function heartbeat(hub: Hub): string {
  return frame('heartbeat', { type: 'heartbeat', time: isoTime(hub.clock.now()) });
}

function frame(name: string, data: object, id?: string): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
