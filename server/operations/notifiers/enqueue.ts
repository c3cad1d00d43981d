// Adds needs to the queue of a notifier: one delivery each, until quiet hours, the rate limit or a receiver that fails
// hold them back. Those become one summary, so that the queue stays short however much happens.
import { NOTIFIER_RATE_MS } from '../../domain/limits.ts';
import type { Counts, Need, Subscription } from '../../domain/notifiers/notifier.ts';
import { quietUntil } from '../../domain/notifiers/quiet-hours.ts';
import type { Millis } from '../../domain/time/clock.ts';
import type { Hub } from '../../hub.ts';
import type { Reader, Transaction } from '../../store/engine/transaction.ts';
import * as deliveries from '../../store/notifiers/deliveries.ts';
import * as notifiers from '../../store/notifiers/notifiers.ts';

export type Queued = Pick<Subscription, 'notifier_seq' | 'rate_limit' | 'quiet_from' | 'quiet_until' | 'time_zone'>;

export async function enqueue(hub: Hub, tx: Transaction, to: Queued, needs: readonly Need[]): Promise<void> {
  if (!(await notifiers.isEnabled(tx, to.notifier_seq))) return;
  const summary = await deliveries.findSummary(tx, to.notifier_seq);
  if (summary !== undefined) return deliveries.markCounts(tx, summary.delivery_seq, countsOf(needs, summary.counts));
  const held = await enqueueSingle(hub, tx, to, needs);
  const [first] = held.needs;
  if (first !== undefined) await insert(hub, tx, to, first, held.until, countsOf(held.needs));
}

type Held = { needs: readonly Need[]; until: Millis };

/** Returns those that have to wait. */
async function enqueueSingle(hub: Hub, tx: Transaction, to: Queued, needs: readonly Need[]): Promise<Held> {
  for (const [index, need] of needs.entries()) {
    const until = await findFreeAt(tx, to);
    if (until > tx.now) return { needs: needs.slice(index), until };
    await insert(hub, tx, to, need, tx.now, null);
  }
  return { needs: [], until: tx.now };
}

function insert(
  { ids }: Hub,
  tx: Transaction,
  { notifier_seq }: Queued,
  need: Need,
  due_at: Millis,
  counts: Counts | null,
) {
  return deliveries.insert(tx, { delivery_id: ids.next('dlv'), notifier_seq, need, counts, due_at });
}

/** When the notifier takes its next delivery. */
async function findFreeAt(reader: Reader, to: Queued): Promise<Millis> {
  const oldest = await deliveries.findCreatedAt(reader, to.notifier_seq, to.rate_limit);
  const rateEnd = oldest === undefined ? reader.now : oldest + NOTIFIER_RATE_MS;
  const retryAt = (await deliveries.findRetryAt(reader, to.notifier_seq)) ?? reader.now;
  return Math.max(quietUntil(to, reader.now), rateEnd, retryAt);
}

function countsOf(needs: readonly Need[], before: Counts = {}): Counts {
  const counts = { ...before };
  for (const { trigger } of needs) counts[trigger] = (counts[trigger] ?? 0) + 1;
  return counts;
}
