// Counts the bodies that nobody reads yet of requests that are next on their connection: their turn has not come, or
// their token is being looked up. Node keeps the first 64 KiB of each, and the read that contained them. Bodies of
// requests behind them are bounded in answer-in-order.ts.
import type { IncomingMessage } from 'node:http';
import { MAX_UNHANDLED_BODIES } from '../../domain/limits.ts';
import { announcedBytes, BUFFERED_BYTES } from '../../http/bodies/announced.ts';
import { openShares } from './shares.ts';

export type UnhandledBodies = {
  /** Counts the body of this request until a handler reads it or it is dropped. */
  add(holder: string, request: IncomingMessage): void;
  /** Whether no connection of this holder may be read now: it has filled half of what others have left. */
  isFull(holder: string): boolean;
};

/** Calls `onFree` whenever one is no longer counted. */
export function openUnhandledBodies(memoryShare: number, onFree: () => void): UnhandledBodies {
  const { change, isFull } = openShares(MAX_UNHANDLED_BODIES * memoryShare);
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
    isFull,
  };
}

/** Of a body in chunks, nothing is known. */
function weightOf(request: IncomingMessage): number {
  return 2 * Math.min(announcedBytes(request) || BUFFERED_BYTES, BUFFERED_BYTES);
}
