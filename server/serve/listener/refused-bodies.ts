// Bounds the bodies whose requests were answered before all of them had arrived, and whose rest is then read and
// discarded: how many there are at once, since nobody notices before its end that a client has left, and how many there
// are in a second, since closing a connection costs less than reading the rest.
import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES, MAX_REFUSED_BODIES } from '../../domain/limits.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import { announcedBytes } from '../../http/bodies/announced.ts';
import { openShares } from './shares.ts';

export type RefusedBodies = {
  /**
   * Counts this body until a second after its end. Returns false if its holder already has as many as it may have: then
   * its connection should be closed instead.
   */
  add(holder: string, request: IncomingMessage): boolean;
};

export function openRefusedBodies(memoryShare: number): RefusedBodies {
  const { change, isFull } = openShares(MAX_REFUSED_BODIES * memoryShare);
  return {
    add: (holder, request) => {
      if (isFull(holder)) return false;
      const bytes = announcedBytes(request) || MAX_BODY_BYTES;
      const { socket } = request;
      const end = (): void => {
        request.off('end', end);
        socket.off('close', end);
        setTimeout(() => change(holder, -bytes), SECOND_MS).unref();
      };
      change(holder, bytes);
      request.once('end', end);
      socket.once('close', end); // once it is answered, the request itself is not closed
      return true;
    },
  };
}
