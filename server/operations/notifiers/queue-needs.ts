// Queues found needs for the notifiers that report them, in portions with a commit each, so that other writes do not
// wait.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Need, Subscription } from '../../domain/notifiers/notifier.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import { enqueue } from './enqueue.ts';
import * as found from './found-needs.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Deliveries queued in one write, which takes about 10 ms. */
const QUEUED_AT_ONCE = 300;
/** Comparisons of a need with a subscription in one turn of the event loop: about 2 ms. */
const COMPARED_AT_ONCE = 5_000;

/** The needs that a notifier wants. */
type Order = { to: Subscription; needs: readonly Need[] };

/** Many needs of many notifiers take several writes, the last one with `finish`. A crash in between repeats some. */
export async function queueNeeds(
  hub: Hub,
  subscriptions: Subscriptions,
  needs: readonly found.Found[],
  finish: (tx: Transaction) => Promise<void>,
): Promise<number> {
  const portions = portionsOf(subscriptions, needs);
  for (let total = 0; ; ) {
    const { value: orders, done } = portions.next();
    if (orders.length > 0 || done)
      await hub.store.write(async (tx) => {
        for (const { to, needs: wanted } of orders) await enqueue(hub, tx, to, wanted);
        if (done) await finish(tx);
      });
    else await nextTurn();
    total += orders.reduce((sum, { needs: wanted }) => sum + wanted.length, 0);
    if (done) return total;
  }
}

/**
 * Computes the orders a portion at a time, since hundreds of needs for thousands of notifiers would exhaust memory. A
 * portion may be empty; the last one is returned.
 */
function* portionsOf(subscriptions: Subscriptions, needs: readonly found.Found[]): Generator<Order[], Order[]> {
  let orders: Order[] = [];
  let [queued, compared] = [0, 0];
  for (const [networkSeq, all] of Map.groupBy(needs, ({ network_seq }) => network_seq))
    for (const to of subscriptions.get(networkSeq) ?? []) {
      if (queued >= QUEUED_AT_ONCE || compared >= COMPARED_AT_ONCE) {
        yield orders;
        orders = [];
        [queued, compared] = [0, 0];
      }
      const wanted = all.filter((need) => found.isFor(to, need)).map((need) => inNetwork(need, to));
      if (wanted.length > 0) orders.push({ to, needs: wanted });
      queued += Math.min(wanted.length, to.rate_limit + 1); // the rest is one summary
      compared += all.length;
    }
  return orders;
}

function inNetwork(
  { network_seq: _, addressee: __, ...need }: found.Found,
  { network_id, network_name }: Subscription,
): Need {
  return { ...need, network_id, network_name };
}
