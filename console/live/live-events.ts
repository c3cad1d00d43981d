// Delivers the live events of the current network in small batches. While a list loads, its events are held back,
// because the list may be older than they are. Events contain whole records, so duplicates are harmless.
import { batch } from '@preact/signals';
import type { EventData } from '../../server/domain/events.ts';
import { atMostEvery } from './throttle.ts';

/** On the stream of a network, every event for an agent includes its alias. */
export type LiveEvent = EventData & { alias?: string };

/**
 * A busy hub sends hundreds of events per second. The page updates at most this often: with 40 ms, a list missed one
 * frame in ten while 50 tasks per second were sent.
 */
const BATCH_MS = 120;

const listeners = new Set<(event: LiveEvent) => void>();
let waiting: LiveEvent[] = [];
let loads = 0;
const emission = atMostEvery(BATCH_MS, emitWaiting);

/** Calls back on every event until the returned function is called. */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function emitLiveEvent(event: LiveEvent): void {
  waiting.push(event);
  emission.soon();
}

function emitWaiting(): void {
  if (loads > 0) return;
  const events = waiting;
  waiting = [];
  batch(() => events.forEach((event) => listeners.forEach((listener) => listener(event))));
}

/** Holds events back until the response has arrived and the caller has applied it. */
export async function whileHoldingEvents<Response>(response: Promise<Response>): Promise<Response> {
  loads += 1;
  try {
    return await response;
  } finally {
    loads -= 1;
    if (loads === 0) setTimeout(emitWaiting);
  }
}

export function dropWaiting(): void {
  waiting = [];
}
