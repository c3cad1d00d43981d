// Forgets stream events that are too old to be replayed.
import { HOUR_MS } from '../domain/time.ts';
import type { Hub } from '../hub.ts';
import { pruneEvents } from '../operations/retention.ts';

export async function run(hub: Hub): Promise<{ events: number }> {
  return { events: await pruneEvents(hub, hub.settings.keep_events_hours * HOUR_MS) };
}
