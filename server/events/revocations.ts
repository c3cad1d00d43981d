// Ends open streams and waits when the right they were opened with is revoked, and tracks when their tokens expire.
import { networksOf, type Opener } from '../domain/accounts/caller.ts';
import type { Millis } from '../domain/time/clock.ts';

/** A revoked token, a user's membership in a network, or a whole network; undefined fields match everything. */
export type Revoked = { token_id?: string; user_id?: string; network_id?: string };

export type Revocations = {
  /** Calls `end` once when the right of the caller is revoked; the returned function stops watching. */
  watch(caller: Opener, end: () => void): () => void;
  announce(revoked: Revoked): void;
  /** Ends what was opened with access that has changed since, as when another hub has revoked it. */
  verify(isKept: (caller: Opener) => Promise<boolean>): Promise<void>;
  /** The watched tokens that have expired, as far as is known here. */
  listDue(now: Millis): string[];
  moveEnd(tokenId: string, end: Millis): void;
};

type Watcher = { caller: Opener; expiresAt: Millis; end: () => void };

export function openRevocations(): Revocations {
  const watchers = new Set<Watcher>();
  return {
    watch: (caller, end) => {
      const watcher = { caller, expiresAt: caller.expires_at ?? Infinity, end };
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    announce: (revoked) => {
      for (const watcher of [...watchers].filter(({ caller }) => matches(revoked, caller))) {
        watchers.delete(watcher);
        watcher.end();
      }
    },
    verify: async (isKept) => {
      for (const watcher of [...watchers]) {
        if (!(await isKept(watcher.caller)) && watchers.delete(watcher)) watcher.end();
      }
    },
    listDue: (now) => [
      ...new Set([...watchers].filter(({ expiresAt }) => expiresAt <= now).map(({ caller }) => caller.token_id)),
    ],
    moveEnd: (tokenId, end) => {
      for (const watcher of watchers) if (watcher.caller.token_id === tokenId) watcher.expiresAt = end;
    },
  };
}

function matches({ token_id, user_id, network_id }: Revoked, caller: Opener): boolean {
  if (token_id !== undefined && token_id !== caller.token_id) return false;
  if (user_id !== undefined && user_id !== caller.user_id) return false;
  return network_id === undefined || networksOf(caller).includes(network_id);
}
