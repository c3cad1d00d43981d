// Sends what is due to the notifiers, outside of any request: a few at a time, at most one for each notifier. A failed
// attempt is repeated later; one that a shutdown interrupts is repeated after the next start.
import { MAX_NOTIFYING_PER_USER } from '../../domain/limits.ts';
import type { Delivery, DeliveryStatus, Notifier, Outcome } from '../../domain/notifiers/notifier.ts';
import { requestOf } from '../../domain/notifiers/payloads.ts';
import { quietUntil } from '../../domain/notifiers/quiet-hours.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as deliveries from '../../store/notifiers/deliveries.ts';
import * as notifiers from '../../store/notifiers/notifiers.ts';
import { currentSubscriptions } from './subscriptions.ts';

/** Pauses after failed attempts of a delivery; after the last one it has failed. */
const BACKOFF_MS: readonly number[] = [10, 60, 300, 1_800, 7_200].map((seconds) => seconds * SECOND_MS);
const PAUSE_MS = 10 * SECOND_MS;
const USERS_AT_ONCE = 100;

/**
 * Starts the deliveries that are due and may start, user by user, from where the last call stopped. Returns a promise
 * for the end of each.
 */
export async function startDeliveries(hub: Hub): Promise<Promise<void>[]> {
  const { notifiers: memory, store } = hub;
  const page = { after: memory.lastServed, limit: USERS_AT_ONCE, each: MAX_NOTIFYING_PER_USER };
  const { due, last, oldest } = await store.read(async (reader) => ({
    ...(await deliveries.listDue(reader, page)),
    oldest: await deliveries.findOldestDue(reader),
  }));
  memory.oldestDue = oldest;
  const started: Promise<void>[] = [];
  for (const notifier of due) {
    if (memory.isFull()) return started;
    if (memory.maySend(notifier)) started.push(deliverNext(hub, notifier));
    memory.lastServed = notifier.user_id;
  }
  memory.lastServed = last ?? '';
  return started;
}

/** The URL under which people reach the console. */
export function urlOf({ settings, url }: Pick<Hub, 'settings' | 'url'>): string {
  return settings.public_url ?? url ?? '';
}

async function deliverNext(hub: Hub, due: deliveries.DueNotifier): Promise<void> {
  const end = hub.notifiers.start(due);
  let isFailed = false;
  try {
    const mayNotifyOf = await networksOf(hub, due);
    const claimed = await hub.store.write((tx) => claim(tx, due, mayNotifyOf));
    if (claimed === undefined || hub.life.isStopping) return;
    const { notifier, delivery } = claimed;
    const outcome = await hub.outgoing.post(requestOf(notifier, delivery, urlOf(hub), hub.clock.now()));
    if (hub.outgoing.isClosed()) return;
    isFailed = outcome.problem !== null;
    const status = await hub.store.write((tx) => noteOutcome(tx, claimed, outcome));
    hub.metrics.notifications[status === 'pending' ? 'retried' : status] += 1;
  } finally {
    end(isFailed);
  }
}

async function networksOf(hub: Hub, { notifier_seq }: deliveries.DueNotifier): Promise<ReadonlySet<string>> {
  const own = (await currentSubscriptions(hub)).filter((subscription) => subscription.notifier_seq === notifier_seq);
  return new Set(own.map(({ network_id }) => network_id));
}

type Claimed = { notifier: Notifier; delivery: Delivery };

const NO_ACCESS: Outcome = { status: null, problem: 'access_ended' };

/** Starts an attempt, except within quiet hours or after access to the network ended. */
async function claim(
  tx: Transaction,
  { notifier_seq, notifier_id }: deliveries.DueNotifier,
  mayNotifyOf: ReadonlySet<string>,
): Promise<Claimed | undefined> {
  const notifier = await notifiers.find(tx, notifier_id);
  const delivery = notifier && (await deliveries.findDue(tx, notifier_seq));
  if (notifier === undefined || delivery === undefined) return undefined;
  const quietEnd = quietUntil(notifier, tx.now);
  if (quietEnd > tx.now) await deliveries.postpone(tx, notifier_seq, delivery, quietEnd);
  else if (!mayNotifyOf.has(delivery.need.network_id))
    await deliveries.markOutcome(tx, notifier_seq, delivery, NO_ACCESS, null);
  else {
    await deliveries.markStarted(tx, delivery);
    return { notifier, delivery: { ...delivery, attempts: delivery.attempts + 1 } };
  }
  return undefined;
}

/** After a failure all deliveries of the notifier pause, so that a receiver that is down does not occupy the hub. */
async function noteOutcome(
  tx: Transaction,
  { notifier: { notifier_seq }, delivery }: Claimed,
  outcome: Outcome,
): Promise<DeliveryStatus> {
  if (outcome.problem === null) {
    await deliveries.markOutcome(tx, notifier_seq, delivery, outcome, null);
    return 'delivered';
  }
  const pause = BACKOFF_MS[delivery.attempts - 1];
  await deliveries.markOutcome(tx, notifier_seq, delivery, outcome, pause === undefined ? null : tx.now + pause);
  await deliveries.pause(tx, notifier_seq, tx.now + PAUSE_MS);
  return pause === undefined ? 'failed' : 'pending';
}
