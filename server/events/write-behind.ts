// Best-effort records that are written after the response: which messages were pushed on a live stream, and which
// tokens were used. A sweep writes them in one batch; a crash before that loses only these records, never a message.
import { LAST_USED_STEP_MS } from '../domain/limits.ts';
import type { Millis } from '../domain/time/clock.ts';

type Marks = { notified: ReadonlyMap<string, Millis>; used: ReadonlyMap<string, Millis> };

export type WriteBehind = {
  notified(messageId: string, now: Millis): void;
  /** Returns whether this use will be stored: at most one per minute is. */
  used(tokenId: string, lastUsedAt: Millis | null, now: Millis): boolean;
  /** Whether a push is not stored yet. */
  hasNotified(): boolean;
  isEmpty(): boolean;
  take(): Marks;
  /** Restores records that were taken but not stored. */
  giveBack(marks: Marks): void;
};

export function openWriteBehind(): WriteBehind {
  let notified = new Map<string, Millis>();
  let used = new Map<string, Millis>();
  return {
    notified: (messageId, now) => {
      if (!notified.has(messageId)) notified.set(messageId, now);
    },
    hasNotified: () => notified.size > 0,
    isEmpty: () => notified.size + used.size === 0,
    used: (tokenId, lastUsedAt, now) => {
      const isDue = lastUsedAt === null || now - lastUsedAt >= LAST_USED_STEP_MS;
      if (isDue) used.set(tokenId, now);
      return isDue;
    },
    take: () => {
      const taken = { notified, used };
      notified = new Map();
      used = new Map();
      return taken;
    },
    giveBack: (marks) => {
      notified = new Map([...notified, ...marks.notified]);
      used = new Map([...marks.used, ...used]);
    },
  };
}
