// Writes down the marks that followed their answers: which messages were pushed, and which tokens were used.
import { USER_TOKEN_IDLE_MS } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import type { Reader } from '../store/database.ts';
import * as messages from '../store/messages.ts';
import * as tokens from '../store/tokens.ts';
import { noted } from './notes.ts';
import { readCurrent } from './time-passes.ts';

const PUSHES_AT_ONCE = 500;

export async function writeLateMarks(hub: Hub): Promise<{ notified: number; used: number }> {
  const { notified, used } = hub.marks.take();
  if (notified.size + used.size === 0) return { notified: 0, used: 0 };
  const pushes = [...notified];
  await hub.store.write(async (tx) => {
    tx.onRollback(() => hub.marks.giveBack({ notified, used }));
    for (let start = 0; start < pushes.length; start += PUSHES_AT_ONCE) {
      await messages.markNotified(tx, pushes.slice(start, start + PUSHES_AT_ONCE));
    }
    for (const [tokenId, at] of used) await tokens.markUsed(tx, tokenId, at, at + USER_TOKEN_IDLE_MS);
  });
  return { notified: notified.size, used: used.size };
}

/** Reads tasks with every mark of how far they have come: a push that waits to be written is written first. */
export async function readTasks<T>(hub: Hub, read: (reader: Reader) => Promise<T>): Promise<T> {
  if (hub.marks.hasNotified()) await noted(writeLateMarks(hub));
  return readCurrent(hub, read);
}
