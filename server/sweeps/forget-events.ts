// Forgets stream events that are too old to be replayed.
import { EVENTS_KEPT_MS } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import * as events from '../store/events.ts';

const EVENTS_AT_ONCE = 2_000; // a commit of this size stays under 20 ms

export async function run(hub: Hub): Promise<{ events: number }> {
  let forgotten = 0;
  for (;;) {
    const count = await hub.store.write((tx) => events.removeBefore(tx, tx.now - EVENTS_KEPT_MS, EVENTS_AT_ONCE));
    forgotten += count;
    if (count < EVENTS_AT_ONCE) return { events: forgotten };
  }
}
