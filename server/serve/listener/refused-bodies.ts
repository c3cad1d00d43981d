// Bounds the bodies whose requests were answered before all of them had arrived. Their rest is discarded slowly, since
// Node copies each part, and meanwhile nobody notices that their clients have left.
import type { IncomingMessage } from 'node:http';
import { MAX_REFUSED_BODIES } from '../../domain/limits.ts';
import { announcedBytes, BUFFERED_BYTES } from '../../http/bodies/announced.ts';
import { openShares } from './shares.ts';

export type RefusedBodies = {
  /**
   * Counts this body until it has ended. Returns false if its holder already has as many as it may have: then its
   * connection should be closed instead.
   */
  add(holder: string, request: IncomingMessage): boolean;
};

export function openRefusedBodies(memoryShare: number): RefusedBodies {
  const { change, isFull } = openShares(MAX_REFUSED_BODIES * memoryShare);
  return {
    add: (holder, request) => {
      if (isFull(holder)) return false;
      const bytes = announcedBytes(request) || BUFFERED_BYTES;
      const { socket } = request;
      const release = (): void => {
        change(holder, -bytes);
        request.off('end', release);
        socket.off('close', release);
      };
      change(holder, bytes);
      request.once('end', release);
      socket.once('close', release); // once it is answered, the request itself is not closed
      return true;
    },
  };
}
