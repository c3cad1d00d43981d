// The readers of notice-needs.ts: which ones the subscriptions use, and where each starts and ends. A new reader starts
// with the events after it.
import type { NotifierSettings, Subscription } from '../../domain/notifiers/notifier.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as store from '../../store/notifiers/needs.ts';
import { allSubscriptions } from './subscriptions.ts';

export const EVENTS_READER = 'events';
/** Its position is the time of its last check. */
export const EXPIRING_READER = 'expiring';
/** So is this one's. */
export const ABANDONED_READER = 'abandoned';

function unfetchedReader(minutes: number): string {
  return `unfetched ${minutes}`;
}

/** How long a task waits before it is reported, by the reader that finds such tasks. */
export function unfetchedMinutes(subscriptions: readonly Subscription[]): ReadonlyMap<string, number> {
  const wanting = subscriptions.filter(({ triggers }) => triggers.includes('unfetched'));
  return new Map(wanting.map(({ unfetched_minutes: minutes }) => [unfetchedReader(minutes), minutes]));
}

/** Starts the readers of a notifier in the write that enables it, so that it misses nothing until the next sweep. */
export async function startReaders(
  tx: Transaction,
  { triggers, unfetched_minutes }: Pick<NotifierSettings, 'triggers' | 'unfetched_minutes'>,
): Promise<void> {
  await store.startAtLatest(tx, EVENTS_READER);
  if (triggers.includes('unfetched')) await store.startAtLatest(tx, unfetchedReader(unfetched_minutes));
}

/**
 * Forgets the positions of unused readers. Each write looks at the subscriptions again, because a notifier may have
 * been enabled since they were read.
 */
export async function forgetUnusedReaders(hub: Hub, subscriptions: readonly Subscription[]): Promise<void> {
  const isUnused = (used: readonly Subscription[]) => {
    const names = new Set(namesOf(used));
    return (name: string): boolean => !names.has(name);
  };
  const unused = (await hub.store.read(store.listReaders)).filter(isUnused(subscriptions));
  if (unused.length === 0) return;
  const forgotten = await hub.store.write(async (tx) => {
    const still = unused.filter(isUnused(await allSubscriptions((work) => work(tx))));
    for (const name of still) await store.forgetPosition(tx, name);
    return still;
  });
  for (const name of forgotten) hub.notifiers.positions.delete(name);
}

function namesOf(subscriptions: readonly Subscription[]): string[] {
  if (subscriptions.length === 0) return [];
  return [EVENTS_READER, EXPIRING_READER, ABANDONED_READER, ...unfetchedMinutes(subscriptions).keys()];
}
