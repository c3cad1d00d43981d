// Adds needs to the queue of a notifier, one delivery each. Within quiet hours, above the rate limit, or while the
// receiver fails, they become one summary instead, so the queue stays short.
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
  const { slots, freeAt } = await findRoom(tx, to);
  const [first, ...others] = needs.slice(slots);
  const held = first && { need: first, counts: countsOf([first, ...others]), due_at: freeAt };
  const single = needs.slice(0, slots).map((need) => ({ need, counts: null, due_at: tx.now }));
  const added = held === undefined ? single : [...single, held];
  await deliveries.insert(
    tx,
    to.notifier_seq,
    added.map((delivery) => ({ ...delivery, delivery_id: hub.ids.next('dlv') })),
  );
}

/** How many deliveries may be added now, and when one may be sent after those. */
type Room = { slots: number; freeAt: Millis };

async function findRoom(reader: Reader, to: Queued): Promise<Room> {
  const { now } = reader;
  const newest = await deliveries.listCreatedAt(reader, to.notifier_seq, to.rate_limit);
  const recent = newest.filter((createdAt) => createdAt > now - NOTIFIER_RATE_MS);
  const slots = to.rate_limit - recent.length;
  const rateEnd = (recent.at(-1) ?? now) + NOTIFIER_RATE_MS;
  const retryAt = (await deliveries.findRetryAt(reader, to.notifier_seq)) ?? now;
  const heldUntil = Math.max(quietUntil(to, now), retryAt);
  if (heldUntil <= now) return { slots, freeAt: rateEnd };
  return { slots: 0, freeAt: slots > 0 ? heldUntil : Math.max(heldUntil, rateEnd) };
}

function countsOf(needs: readonly Need[], before: Counts = {}): Counts {
  const counts = { ...before };
  for (const { trigger } of needs) counts[trigger] = (counts[trigger] ?? 0) + 1;
  return counts;
}
