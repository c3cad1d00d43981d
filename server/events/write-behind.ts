// Marks that follow an answer instead of delaying it: which messages were pushed on a live stream and which tokens were
// used. They are written together by a sweep; a crash in between loses only a mark, never a message.
import { LAST_USED_STEP_MS } from '../domain/limits.ts';
import type { Millis } from '../domain/time/clock.ts';

type Marks = { notified: ReadonlyMap<string, Millis>; used: ReadonlyMap<string, Millis> };

export type WriteBehind = {
  notified(messageId: string, now: Millis): void;
  /** Answers whether this use is one to write down: at most one a minute is. */
  used(tokenId: string, lastUsedAt: Millis | null, now: Millis): boolean;
  /** Whether a push waits to be written down. */
  hasNotified(): boolean;
  isEmpty(): boolean;
  take(): Marks;
  /** What was taken and then not written. */
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
