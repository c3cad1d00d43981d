// Tells open streams and waits that the right they were opened with is gone, and keeps in mind when that will be.
import { networksOf, type Opener } from '../domain/accounts/caller.ts';
import type { Millis } from '../domain/time/clock.ts';

/** What was taken: a token, a user's place in a network, or a whole network; undefined members match everything. */
export type Revoked = { token_id?: string; user_id?: string; network_id?: string };

export type Revocations = {
  /** Calls `end` once when the right to what the caller opened is revoked; the answer stops watching. */
  watch(caller: Opener, end: () => void): () => void;
  announce(revoked: Revoked): void;
  /** Tokens of what is watched whose end has come, as far as is known here. */
  listDue(now: Millis): string[];
  moveEnd(tokenId: string, end: Millis): void;
};

type Watcher = { caller: Opener; over: Millis; end: () => void };

export function openRevocations(): Revocations {
  const watchers = new Set<Watcher>();
  return {
    watch: (caller, end) => {
      const watcher = { caller, over: caller.expires_at ?? Infinity, end };
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    announce: (revoked) => {
      for (const watcher of [...watchers].filter(({ caller }) => concerns(revoked, caller))) {
        watchers.delete(watcher);
        watcher.end();
      }
    },
    listDue: (now) => [
      ...new Set([...watchers].filter(({ over }) => over <= now).map(({ caller }) => caller.token_id)),
    ],
    moveEnd: (tokenId, end) => {
      for (const watcher of watchers) if (watcher.caller.token_id === tokenId) watcher.over = end;
    },
  };
}

function concerns({ token_id, user_id, network_id }: Revoked, caller: Opener): boolean {
  if (token_id !== undefined && token_id !== caller.token_id) return false;
  if (user_id !== undefined && user_id !== caller.user_id) return false;
  return network_id === undefined || networksOf(caller).includes(network_id);
}
