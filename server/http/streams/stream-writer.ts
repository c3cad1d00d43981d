// Writes events to one reader of a stream and disconnects it when it falls 1 MiB behind; it replays when it reconnects.
// Its unread events stay in the store, so a slow reader takes almost no memory.
import type { ServerResponse } from 'node:http';
import { oncePerEvent, type StreamEvent } from '../../domain/events.ts';
import { STREAM_BACKLOG_BYTES, STREAM_IDLE_MS, STREAM_STUCK_MS } from '../../domain/limits.ts';
import type { Sink } from '../../operations/records/follow-events.ts';

export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no', // nginx would buffer events
  'X-Content-Type-Options': 'nosniff',
};

type Writing = {
  frameOf: (event: StreamEvent) => Buffer;
  cutOff: () => void;
  /** Counts an event that the socket has not accepted, until the returned function is called. */
  hold: (waiting: Buffer) => () => void;
};

/** A reader that has not read this many bytes is behind, and its further events count as unread. */
const BEHIND_BYTES = 16 * 1024;

/** Until the reader is up to date for the first time, it receives its replay, at any speed. */
export function writerTo(response: ServerResponse, { frameOf, cutOff, hold }: Writing): Omit<Sink, 'broken'> {
  const untaken = watchUntaken(cutOff);
  const lag = watchLag(cutOff);
  let isUpToDate = false;
  let written: Buffer[] = []; // since the last flush
  let releases: (() => void)[] | undefined; // while the socket has unread data

  // The callback of a trailing comment runs when the socket has accepted everything before it or has closed.
  const whenTaken = (act: () => void): void => void response.write(':\n\n', act);
  const releaseAll = (): void => {
    const all = releases ?? [];
    releases = undefined;
    for (const release of all) release();
  };
  // Otherwise, Node would write to the socket only at the end of the turn. The write would not count as delivery time,
  // and two large events in one turn would make a reader count as behind.
  const flush = (): void => {
    if (written.length === 0) return;
    response.uncork();
    const frames = written;
    written = [];
    if (response.writableLength < BEHIND_BYTES) return;
    if (releases === undefined) whenTaken(releaseAll);
    releases ??= [];
    for (const frame of frames) releases.push(hold(frame));
  };
  return {
    send: (event) => {
      lag.sent(event);
      const frame = frameOf(event);
      if (written.length === 0) response.cork();
      response.write(frame);
      written.push(frame);
      if (response.writableLength < BEHIND_BYTES) return true;
      flush();
      return response.writableLength < BEHIND_BYTES;
    },
    sentAll: flush,
    drained: () =>
      new Promise((resolve) => {
        const idle = setTimeout(cutOff, STREAM_IDLE_MS);
        whenTaken(() => {
          clearTimeout(idle);
          untaken.reset();
          resolve();
        });
      }),
    missed: (event) => {
      untaken.add(event);
      if (isUpToDate) lag.missed(event);
    },
    caughtUp: () => {
      isUpToDate = true;
      lag.reset();
    },
  };
}

// Disconnects a reader when 1 MiB has accumulated since its socket became full. The reader has one turn of the event
// loop to accept data: one commit can be that large, and nothing reaches the socket before the turn ends.
function watchUntaken(cutOff: () => void) {
  let bytes = 0;
  let isScheduled = false;
  const check = (): void => {
    isScheduled = false;
    if (bytes > STREAM_BACKLOG_BYTES) cutOff();
  };
  return {
    add: (event: StreamEvent): void => {
      bytes += sizeOf(event);
      if (bytes <= STREAM_BACKLOG_BYTES || isScheduled) return;
      isScheduled = true;
      setImmediate(check);
    },
    reset: (): void => void (bytes = 0),
  };
}

// Disconnects a reader that accepts data but is still 1 MiB behind a second later.
function watchLag(cutOff: () => void) {
  let bytes = 0;
  let firstMissed = Infinity;
  let deadline: NodeJS.Timeout | undefined;
  const clearDeadline = (): void => {
    clearTimeout(deadline);
    deadline = undefined;
  };
  return {
    missed: (event: StreamEvent): void => {
      bytes += sizeOf(event);
      firstMissed = Math.min(firstMissed, event.seq);
      if (bytes > STREAM_BACKLOG_BYTES) deadline ??= setTimeout(cutOff, STREAM_STUCK_MS);
    },
    sent: (event: StreamEvent): void => {
      if (event.seq >= firstMissed) bytes -= sizeOf(event);
      if (bytes <= STREAM_BACKLOG_BYTES) clearDeadline();
    },
    reset: (): void => {
      bytes = 0;
      firstMissed = Infinity;
      clearDeadline();
    },
  };
}

/** Size in bytes: a Chinese character has three. Computed once per event, for all readers. */
const sizeOf = oncePerEvent(({ data }) => Buffer.byteLength(data));
