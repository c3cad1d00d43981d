// Writes events to one reader of a stream and cuts it off when it falls a mebibyte behind; it replays when it returns.
// What waits for it waits in the store, so it costs the hub next to nothing meanwhile.
import type { ServerResponse } from 'node:http';
import { oncePerEvent, type StreamEvent } from '../../domain/events.ts';
import { STREAM_BACKLOG_BYTES, STREAM_IDLE_MS, STREAM_STUCK_MS } from '../../domain/limits.ts';
import type { Sink } from '../../operations/records/follow-events.ts';

export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no', // nginx would hold events back
  'X-Content-Type-Options': 'nosniff',
};

type Writing = {
  frameOf: (event: StreamEvent) => Buffer;
  cutOff: () => void;
  /** Counts an event that the socket has not accepted, until the returned function is called. */
  hold: (waiting: Buffer) => () => void;
};

/** A reader with this much unsent data is behind, and its unsent events count as unread. */
const BEHIND_BYTES = 16 * 1024;

/** What was missed before the reader is up to date for the first time is its replay, which it takes at its own pace. */
export function writerTo(response: ServerResponse, { frameOf, cutOff, hold }: Writing): Omit<Sink, 'broken'> {
  const untaken = watchUntaken(cutOff);
  const lag = watchLag(cutOff);
  let isUpToDate = false;
  let written: Buffer[] = []; // since the last flush
  let releases: (() => void)[] | undefined; // while the socket has unsent data

  // The callback of a comment written last runs when the socket has accepted everything before it, or is closed.
  const whenTaken = (act: () => void): void => void response.write(':\n\n', act);
  const releaseAll = (): void => {
    const all = releases ?? [];
    releases = undefined;
    for (const release of all) release();
  };
  // Without this, Node would write to the socket only at the end of the turn. The time would not count as delivery
  // time, and two large events in one turn would make a reader count as behind.
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

// A reader whose socket is full, and a mebibyte has come since. It has one turn of the event loop to take what it was
// sent: one commit can be that large, and nothing is on its way to the socket before the turn ends.
function watchUntaken(cutOff: () => void) {
  let bytes = 0;
  let isLooking = false;
  const look = (): void => {
    isLooking = false;
    if (bytes > STREAM_BACKLOG_BYTES) cutOff();
  };
  return {
    add: (event: StreamEvent): void => {
      bytes += sizeOf(event);
      if (bytes <= STREAM_BACKLOG_BYTES || isLooking) return;
      isLooking = true;
      setImmediate(look);
    },
    reset: (): void => void (bytes = 0),
  };
}

// A reader that goes on taking, and still has a mebibyte before it a second later.
function watchLag(cutOff: () => void) {
  let bytes = 0;
  let firstMissed = Infinity;
  let patience: NodeJS.Timeout | undefined;
  const calmDown = (): void => {
    clearTimeout(patience);
    patience = undefined;
  };
  return {
    missed: (event: StreamEvent): void => {
      bytes += sizeOf(event);
      firstMissed = Math.min(firstMissed, event.seq);
      if (bytes > STREAM_BACKLOG_BYTES) patience ??= setTimeout(cutOff, STREAM_STUCK_MS);
    },
    sent: (event: StreamEvent): void => {
      if (event.seq >= firstMissed) bytes -= sizeOf(event);
      if (bytes <= STREAM_BACKLOG_BYTES) calmDown();
    },
    reset: (): void => {
      bytes = 0;
      firstMissed = Infinity;
      calmDown();
    },
  };
}

/** In bytes: a Chinese character has three. Counted once, however many readers an event has. */
const sizeOf = oncePerEvent(({ data }) => Buffer.byteLength(data));
