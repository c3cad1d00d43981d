// Forgets stream events that are too old to be replayed, and counts that no statistics reach back to.
import { MAX_THROUGHPUT_HOURS } from '../domain/limits.ts';
import { HOUR_MS } from '../domain/time/time.ts';
import type { Hub } from '../hub.ts';
import { pruneEvents } from '../operations/retention.ts';
import * as moveCounts from '../store/counts/move-counts.ts';
import { inPortions } from './portions.ts';

/** An hour more than statistics reach back. */
const COUNTS_KEPT_MS = (MAX_THROUGHPUT_HOURS + 1) * HOUR_MS;

export async function run(hub: Hub): Promise<{ events: number }> {
  await inPortions(hub, (tx, limit) => moveCounts.removeBefore(tx, tx.now - COUNTS_KEPT_MS, limit));
  return { events: await pruneEvents(hub, hub.settings.keep_events_hours * HOUR_MS) };
}
