// Passes changes to accounts, tokens, members and invites to the open streams that follow them, at all hubs.
import type { Change } from '../domain/changes.ts';
import type { Exchange } from './exchange.ts';

export type Changes = {
  /** The returned function stops watching. */
  watch(listener: (change: Change) => void): () => void;
  announce(...changes: readonly Change[]): void;
};

export function openChanges(exchange: Exchange): Changes {
  const listeners = new Set<(change: Change) => void>();
  const pass = (change: Change): void => [...listeners].forEach((listener) => listener(change));
  const tell = exchange.share('changes', (change: string) => pass(JSON.parse(change)));
  return {
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce: (...changes) => {
      for (const change of changes) {
        pass(change);
        tell(JSON.stringify(change));
      }
    },
  };
}
