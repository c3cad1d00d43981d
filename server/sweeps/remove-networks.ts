// Removes the rows of networks that were deleted, a portion to a commit, so that the writes of others do not wait for
// it.
import type { Hub } from '../hub.ts';
import { findRemoved, removeRows } from '../store/bulk/network-removal.ts';

/** Each row takes its dependent rows with it. */
const ROWS_AT_ONCE = 200;

export async function removeNetworks(hub: Hub): Promise<{ networks: number }> {
  let networks = 0;
  for (;;) {
    const networkSeq = await hub.store.read(findRemoved);
    if (networkSeq === undefined) return { networks };
    for (let isLeft = true; isLeft; ) {
      if (hub.life.isStopping) return { networks };
      isLeft = await hub.store.write((tx) => removeRows(tx, networkSeq, ROWS_AT_ONCE));
    }
    networks += 1;
  }
}
