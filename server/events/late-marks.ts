// Marks that follow an answer instead of delaying it: which messages were pushed on a live stream and which tokens were
// used. They are written together by a sweep; a crash in between loses only a mark, never a message.
import type { Millis } from '../domain/clock.ts';
import { LAST_USED_STEP_MS } from '../domain/limits.ts';

export type LateMarks = {
  notified(messageId: string): void;
  /** Answers whether this use is one to write down: at most one a minute is. */
  used(tokenId: string, lastUsedAt: Millis | null, now: Millis): boolean;
  take(): { notified: string[]; used: Map<string, Millis> };
};

export function gatherMarks(): LateMarks {
  let notified = new Set<string>();
  let used = new Map<string, Millis>();
  return {
    notified: (messageId) => void notified.add(messageId),
    used: (tokenId, lastUsedAt, now) => {
      const isDue = lastUsedAt === null || now - lastUsedAt >= LAST_USED_STEP_MS;
      if (isDue) used.set(tokenId, now);
      return isDue;
    },
    take: () => {
      const taken = { notified: [...notified], used };
      notified = new Set();
      used = new Map();
      return taken;
    },
  };
}
