// Writes the marks deferred until after a response: which messages were pushed and which tokens were used.
import { USER_TOKEN_IDLE_MS } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import type { ScopedStore } from '../store/engine/database.ts';
import type { Reader, Transaction } from '../store/engine/transaction.ts';
import * as messages from '../store/messages.ts';
import * as tokens from '../store/tokens.ts';
import { bestEffort } from './best-effort.ts';
import { readCurrent } from './expiry.ts';
import { type Elapsed, openPortions, type Portions } from './portion-size.ts';

type Written = { notified: number; used: number };

/** A mark rewrites the row of its message with all its text, so many are written in portions, with a commit each. */
export async function flushWriteBehind(
  hub: Hub,
  store: Pick<ScopedStore, 'write'> = hub.store,
  elapsed?: Elapsed,
): Promise<Written> {
  const portions = openPortions(elapsed);
  const total = { notified: 0, used: 0 };
  while (!hub.writeBehind.isEmpty()) {
    const { notified, used } = await store.write((tx) => writePortion(hub, tx, portions));
    total.notified += notified;
    total.used += used;
  }
  return total;
}

async function writePortion(hub: Hub, tx: Transaction, portions: Portions): Promise<Written> {
  const marks = hub.writeBehind.take();
  tx.onRollback(() => hub.writeBehind.giveBack(marks));
  for (const [tokenId, at] of marks.used) await tokens.markUsed(tx, tokenId, at, at + USER_TOKEN_IDLE_MS);
  const left = await portions.run([...marks.notified], async (pushes, limit) => {
    if (pushes.length > 0) await messages.markNotified(tx, pushes.slice(0, limit));
    return pushes.length > limit ? pushes.slice(limit) : undefined;
  });
  if (left !== undefined) hub.writeBehind.giveBack({ notified: new Map(left), used: new Map() });
  return { notified: marks.notified.size - (left?.length ?? 0), used: marks.used.size };
}

/** Reads tasks with their delivery marks up to date: deferred pushes are written first. */
export async function readTasks<T>(hub: Hub, store: ScopedStore, read: (reader: Reader) => Promise<T>): Promise<T> {
  if (hub.writeBehind.hasNotified()) await bestEffort(flushWriteBehind(hub, store));
  return readCurrent(hub, store, read);
}
