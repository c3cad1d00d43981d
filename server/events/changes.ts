// Passes changes to accounts, tokens, members and invites to the open streams that follow them.
import type { Change } from '../domain/changes.ts';

export type Changes = {
  /** The returned function stops watching. */
  watch(listener: (change: Change) => void): () => void;
  announce(...changes: readonly Change[]): void;
};

export function openChanges(): Changes {
  const listeners = new Set<(change: Change) => void>();
  return {
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce: (...changes) => {
      for (const change of changes) for (const listener of [...listeners]) listener(change);
    },
  };
}
