// What happens in the watched network, told in small batches to whoever on the page wants to know of it. While a list is
// under way what happens waits for it, since the list may be older; events are whole records, so hearing one twice does
// no harm.
import { batch } from '@preact/signals';
import type { EventData } from '../../server/domain/events.ts';

/** On the stream of a whole network every event for an agent names it. */
export type Happening = EventData & { alias?: string };

/** A busy hub tells a hundred things a second; the page moves this often at most. */
const BATCH_MS = 40;

const listeners = new Set<(happening: Happening) => void>();
let waiting: Happening[] = [];
let loads = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Calls back on every event until the answer is called. */
export function follow(listener: (happening: Happening) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tell(happening: Happening): void {
  waiting.push(happening);
  timer ??= setTimeout(tellAll, BATCH_MS);
}

function tellAll(): void {
  timer = undefined;
  if (loads > 0) return;
  const happened = waiting;
  waiting = [];
  batch(() => happened.forEach((happening) => listeners.forEach((listener) => listener(happening))));
}

/** Holds back what happens until the answer is there and its asker has taken it. */
export async function holding<Answer>(answer: Promise<Answer>): Promise<Answer> {
  loads += 1;
  try {
    return await answer;
  } finally {
    loads -= 1;
    if (loads === 0) timer ??= setTimeout(tellAll);
  }
}

export function dropWaiting(): void {
  waiting = [];
}
