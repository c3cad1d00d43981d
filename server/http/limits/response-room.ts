// While memory for unread responses is short, a user who holds more than an equal share of it waits before the hub
// reads for another response, and so does one whose unread responses were closed just now. Otherwise users who read
// nothing would make the hub build responses only to close them, and take the processor from those who read.
import type { ServerResponse } from 'node:http';
import { UNREAD_PENALTY_MS } from '../../domain/limits.ts';
import { isClosed } from './connection-limits.ts';

export type ResponseRoom = {
  /** Undefined if the user's next response has room; otherwise resolves when it has, or once the response is closed. */
  wait(response: ServerResponse, userId: string): Promise<void> | undefined;
  /** An unread response of the user was closed. */
  penalize(userId: string): void;
  /** Called when responses were read or closed. */
  freed(): void;
};

/** `isOverShare` tells whether memory is short and the user holds more than a share. */
export function openResponseRoom(isShort: () => boolean, isOverShare: (userId: string) => boolean): ResponseRoom {
  const waiting = new Map<string, Set<() => void>>();
  const penalized = new Map<string, NodeJS.Timeout>();

  const hasRoom = (userId: string): boolean => !isShort() || (!penalized.has(userId) && !isOverShare(userId));
  const admit = (userId: string): void => {
    const line = waiting.get(userId);
    waiting.delete(userId);
    for (const begin of line ?? []) begin();
  };
  const freed = (): void => {
    for (const userId of waiting.keys()) if (hasRoom(userId)) admit(userId);
  };
  return {
    wait: (response, userId) => {
      if (hasRoom(userId) || isClosed(response)) return undefined;
      return new Promise((resolve) => {
        const line = waiting.getOrInsertComputed(userId, () => new Set());
        const begin = (): void => {
          response.off('close', begin);
          line.delete(begin);
          if (line.size === 0 && waiting.get(userId) === line) waiting.delete(userId);
          resolve();
        };
        line.add(begin);
        response.once('close', begin);
      });
    },
    penalize: (userId) => {
      clearTimeout(penalized.get(userId));
      const end = (): void => {
        penalized.delete(userId);
        freed();
      };
      penalized.set(userId, setTimeout(end, UNREAD_PENALTY_MS).unref());
    },
    freed,
  };
}
