// Removes the rows of deleted networks, in portions with a commit each, so that other writes do not wait.
import type { Hub } from '../hub.ts';
import { findRemoved, removeRows } from '../store/bulk/network-removal.ts';

/** Removing a row also removes its dependent rows. */
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
