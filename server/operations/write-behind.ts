// Writes the marks deferred until after a response: which messages were pushed and which tokens were used.
import { USER_TOKEN_IDLE_MS } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import type { ScopedStore } from '../store/engine/database.ts';
import type { Reader } from '../store/engine/transaction.ts';
import * as messages from '../store/messages.ts';
import * as tokens from '../store/tokens.ts';
import { bestEffort } from './best-effort.ts';
import { readCurrent } from './expiry.ts';

const PUSHES_AT_ONCE = 500;

export async function flushWriteBehind(
  hub: Hub,
  store: Pick<ScopedStore, 'write'> = hub.store,
): Promise<{ notified: number; used: number }> {
  if (hub.writeBehind.isEmpty()) return { notified: 0, used: 0 };
  return store.write(async (tx) => {
    const marks = hub.writeBehind.take();
    tx.onRollback(() => hub.writeBehind.giveBack(marks));
    const pushes = [...marks.notified];
    for (let start = 0; start < pushes.length; start += PUSHES_AT_ONCE) {
      await messages.markNotified(tx, pushes.slice(start, start + PUSHES_AT_ONCE));
    }
    for (const [tokenId, at] of marks.used) await tokens.markUsed(tx, tokenId, at, at + USER_TOKEN_IDLE_MS);
    return { notified: marks.notified.size, used: marks.used.size };
  });
}

/** Reads tasks with their delivery marks up to date: deferred pushes are written first. */
export async function readTasks<T>(hub: Hub, store: ScopedStore, read: (reader: Reader) => Promise<T>): Promise<T> {
  if (hub.writeBehind.hasNotified()) await bestEffort(flushWriteBehind(hub, store));
  return readCurrent(hub, store, read);
}
