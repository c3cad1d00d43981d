// Forgets stream events that are too old to be replayed.
import { EVENTS_KEPT_MS } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import * as events from '../store/events.ts';
import { inPortions } from './portions.ts';

export async function run(hub: Hub): Promise<{ events: number }> {
  return { events: await inPortions(hub, (tx, limit) => events.removeBefore(tx, tx.now - EVENTS_KEPT_MS, limit)) };
}
