// Yields during a long transaction: reads, streams and requests continue, other writes wait for its end.
import { setImmediate as nextTurn } from 'node:timers/promises';

const MAX_MS = 10;

/** Call between steps. It yields to the event loop once this transaction has held it for 10 ms. */
export type Pause = () => Promise<void>;

export function openPause(): Pause {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_MS) return;
    await nextTurn();
    since = performance.now();
  };
}
