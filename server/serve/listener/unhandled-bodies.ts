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
  /**
   * Whether no connection of this holder may be read now: it has filled half of what others have left, and not freed a
   * tenth of that again. Otherwise, all of its connections would be stopped and read again for each body.
   */
  isFull(holder: string): boolean;
};

/** Calls `onFree` whenever one is no longer counted. */
export function openUnhandledBodies(memoryShare: number, onFree: () => void): UnhandledBodies {
  const { change, held, filled } = openShares(MAX_UNHANDLED_BODIES * memoryShare);
  const full = new Set<string>(); // and not emptied since
  const isEmptied = (holder: string): boolean => held(holder) === 0 || filled(holder) < EMPTIED;
  return {
    add: (holder, request) => {
      const bytes = weightOf(request);
      let isCounted = true;
      const release = (): void => {
        if (!isCounted) return;
        isCounted = false;
        change(holder, -bytes);
        if (isEmptied(holder)) full.delete(holder);
        onFree();
      };
      change(holder, bytes);
      if (filled(holder) >= 1) full.add(holder);
      request.once('resume', release).once('close', release);
    },
    isFull: (holder) => filled(holder) >= 1 || (full.has(holder) && !isEmptied(holder)),
  };
}

const EMPTIED = 0.9;

/** Of a body in chunks, nothing is known. */
function weightOf(request: IncomingMessage): number {
  return 2 * Math.min(announcedBytes(request) || BUFFERED_BYTES, BUFFERED_BYTES);
}
