// Best-effort records that are written after the response: which messages were pushed on a live stream, and which
// tokens were used. A sweep writes them in one batch; a crash before that loses only these records, never a message.
import { LAST_USED_STEP_MS } from '../domain/limits.ts';
import type { Millis } from '../domain/time/clock.ts';

export type NotifiedMark = readonly [messageId: string, at: Millis];
type UsedMarks = ReadonlyMap<string, { at: Millis; user_id: string }>;

export type WriteBehind = {
  notified(messageId: string, now: Millis): void;
  /** Returns whether this use will be stored: at most one per minute is. */
  used(token: { token_id: string; user_id: string }, lastUsedAt: Millis | null, now: Millis): boolean;
  /** The number of pushes not stored yet. */
  notifiedCount(): number;
  isEmpty(): boolean;
  /** Takes at most `limit`, the oldest first. */
  takeNotified(limit: number): NotifiedMark[];
  takeUsed(): UsedMarks;
  /** Restores records that were taken but not stored. */
  giveBack(marks: { notified: readonly NotifiedMark[]; used: UsedMarks }): void;
};

export function openWriteBehind(): WriteBehind {
  let notified = new Map<string, Millis>();
  let used = new Map<string, { at: Millis; user_id: string }>();
  return {
    notified: (messageId, now) => {
      if (!notified.has(messageId)) notified.set(messageId, now);
    },
    notifiedCount: () => notified.size,
    isEmpty: () => notified.size + used.size === 0,
    used: ({ token_id, user_id }, lastUsedAt, now) => {
      const isDue = lastUsedAt === null || now - lastUsedAt >= LAST_USED_STEP_MS;
      if (isDue) used.set(token_id, { at: now, user_id });
      return isDue;
    },
    takeNotified: (limit) => {
      const taken: NotifiedMark[] = [];
      for (const mark of notified) {
        if (taken.length === limit) break;
        taken.push(mark);
      }
      for (const [messageId] of taken) notified.delete(messageId);
      return taken;
    },
    takeUsed: () => {
      const taken = used;
      used = new Map();
      return taken;
    },
    giveBack: (marks) => {
      const newer = notified;
      notified = new Map(marks.notified);
      for (const [messageId, at] of newer) if (!notified.has(messageId)) notified.set(messageId, at);
      used = new Map([...marks.used, ...used]);
    },
  };
}
