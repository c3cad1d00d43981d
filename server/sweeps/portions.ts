// Removes old rows a portion to a commit, so that no sweep holds up the writes of others.
import type { Hub } from '../hub.ts';
import type { Transaction } from '../store/engine/transaction.ts';

const ROWS_AT_ONCE = 2_000; // a commit of this size stays under 20 ms

/** Repeats `remove` until it finds less than it may; answers how many it removed in all. */
export async function inPortions(hub: Hub, remove: (tx: Transaction, limit: number) => Promise<number>): Promise<number> {
  let removed = 0;
  for (;;) {
    const count = await hub.store.write((tx) => remove(tx, ROWS_AT_ONCE));
    removed += count;
    if (count < ROWS_AT_ONCE) return removed;
  }
}
