// Passes changes to accounts, tokens, members and invites to the open streams that follow them, at all hubs. One user
// can have thousands of streams and change something all the time. Each turn of the event loop therefore spends a fixed
// time on them, and what changes again before a stream has its turn is passed once.
import type { Change } from '../domain/changes.ts';
import type { Exchange } from './exchange.ts';

export type Changes = {
  /** The listener is called soon after a change, and must not throw. The returned function stops watching. */
  watch(listener: Listener): () => void;
  announce(...changes: readonly Change[]): void;
};

type Listener = (change: Change) => void;

const TURN_MS = 1;

/** `elapsed` is in milliseconds. */
export function openChanges(exchange: Exchange, elapsed = (): number => performance.now()): Changes {
  const listeners = new Set<Listener>();
  /** Those announced since the round began, by their JSON. */
  const announced = new Map<string, Change>();
  let round: { changes: readonly Change[]; left: IterableIterator<Listener> } | undefined;
  let isBusy = false;

  const begin = (): NonNullable<typeof round> => {
    const changes = [...announced.values()];
    announced.clear();
    return (round = { changes, left: listeners.values() });
  };
  const turn = (): void => {
    const end = elapsed() + TURN_MS;
    const { changes, left } = round ?? begin();
    for (const listener of { [Symbol.iterator]: () => left }) {
      for (const change of changes) listener(change);
      if (elapsed() >= end) return void setImmediate(turn);
    }
    round = undefined;
    isBusy = announced.size > 0;
    if (isBusy) setImmediate(turn);
  };
  const note = (text: string, change: Change): void => {
    announced.set(text, change);
    if (isBusy) return;
    isBusy = true;
    setImmediate(turn);
  };
  const tell = exchange.share('changes', (text: string) => note(text, JSON.parse(text)));
  return {
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce: (...changes) => {
      for (const change of changes) {
        const text = JSON.stringify(change);
        note(text, change);
        tell(text);
      }
    },
  };
}
