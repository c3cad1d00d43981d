// Writes the marks deferred until after a response: which messages were pushed and which tokens were used.
import { USER_TOKEN_IDLE_MS } from '../domain/limits.ts';
import type { NotifiedMark } from '../events/write-behind.ts';
import type { Hub } from '../hub.ts';
import type { ScopedStore } from '../store/engine/database.ts';
import type { Reader, Transaction } from '../store/engine/transaction.ts';
import * as messages from '../store/messages.ts';
import * as tokens from '../store/tokens.ts';
import { bestEffort } from './best-effort.ts';
import { readCurrent } from './expiry.ts';
import { type Elapsed, openPortions, type Portions } from './portion-size.ts';

type Written = { notified: number; used: number };

/**
 * Writes the marks present at the start. Later ones wait for the next flush, since on a busy hub they never cease. A
 * mark rewrites the row of its message with all its text, so many are written in portions, with a commit each.
 */
export async function flushWriteBehind(
  hub: Hub,
  store: { write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> } = hub.store,
  elapsed?: Elapsed,
): Promise<Written> {
  const portions = openPortions(elapsed);
  const total = { notified: 0, used: 0 };
  if (hub.writeBehind.isEmpty()) return total;
  let left = hub.writeBehind.notifiedCount();
  for (let isMore = true; isMore; isMore = left > 0) {
    const { notified, used } = await store.write((tx) => writePortion(hub, tx, portions, left));
    total.notified += notified;
    total.used += used;
    left = notified === 0 ? 0 : left - notified; // another flush may have taken them
  }
  return total;
}

async function writePortion(hub: Hub, tx: Transaction, portions: Portions, most: number): Promise<Written> {
  const used = hub.writeBehind.takeUsed();
  const notified: NotifiedMark[] = [];
  tx.onRollback(() => hub.writeBehind.giveBack({ notified, used }));
  for (const [tokenId, { at }] of used) await tokens.markUsed(tx, tokenId, at, at + USER_TOKEN_IDLE_MS);
  const users = new Set([...used.values()].map(({ user_id }) => user_id));
  tx.afterCommit(() => users.forEach((user_id) => hub.changes.announce({ what: 'tokens', user_id })));
  const isMore = () => hub.writeBehind.notifiedCount() > 0 || undefined;
  await portions.run(
    true,
    async (_, limit) => {
      const pushes = hub.writeBehind.takeNotified(limit);
      notified.push(...pushes);
      if (pushes.length > 0) await messages.markNotified(tx, pushes);
      return isMore();
    },
    most,
  );
  return { notified: notified.length, used: used.size };
}

/** Reads tasks with their delivery marks up to date: deferred pushes are written first. */
export async function readTasks<T>(hub: Hub, store: ScopedStore, read: (reader: Reader) => Promise<T>): Promise<T> {
  if (hub.writeBehind.notifiedCount() > 0) await bestEffort(store, () => flushWriteBehind(hub, store));
  return readCurrent(hub, store, read);
}
