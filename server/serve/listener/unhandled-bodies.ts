// Counts the bodies that nobody reads yet of requests that are next on their connection: their turn has not come, or
// their token is being looked up. Node keeps the first 64 KiB of each, and the read that contained them. Bodies of
// requests behind them are bounded in answer-in-order.ts.
import type { IncomingMessage } from 'node:http';
import { MAX_UNHANDLED_BODIES } from '../../domain/limits.ts';
import { announcedBytes, BUFFERED_BYTES } from '../../http/bodies/announced.ts';

export type UnhandledBodies = {
  /** Counts the body of this request until a handler reads it or it is dropped. */
  add(holder: string, request: IncomingMessage): void;
  /** Whether no connection of this holder may be read now: it has filled half of what others have left. */
  isFull(holder: string): boolean;
};

/** Calls `onFree` whenever one is no longer counted. */
export function openUnhandledBodies(memoryShare: number, onFree: () => void): UnhandledBodies {
  const max = MAX_UNHANDLED_BODIES * memoryShare;
  const held = new Map<string, number>();
  let total = 0;
  const heldBy = (holder: string): number => held.get(holder) ?? 0;
  const change = (holder: string, bytes: number): void => {
    const left = heldBy(holder) + bytes;
    if (left === 0) held.delete(holder);
    else held.set(holder, left);
    total += bytes;
  };
  return {
    add: (holder, request) => {
      const bytes = weightOf(request);
      let isCounted = true;
      const release = (): void => {
        if (!isCounted) return;
        isCounted = false;
        change(holder, -bytes);
        onFree();
      };
      change(holder, bytes);
      request.once('resume', release).once('close', release);
    },
    isFull: (holder) => heldBy(holder) >= (max - (total - heldBy(holder))) / 2,
  };
}

/** Of a body in chunks, nothing is known. */
function weightOf(request: IncomingMessage): number {
  return 2 * Math.min(announcedBytes(request) || BUFFERED_BYTES, BUFFERED_BYTES);
}
