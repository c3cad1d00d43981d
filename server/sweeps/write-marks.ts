// Writes down which messages were pushed and which tokens were used since the last time.
import { USER_TOKEN_IDLE_MS } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import * as messages from '../store/messages.ts';
import * as tokens from '../store/tokens.ts';

const IDS_AT_ONCE = 500;

export async function run(hub: Hub): Promise<{ notified: number; used: number }> {
  const { notified, used } = hub.marks.take();
  if (notified.length + used.size === 0) return { notified: 0, used: 0 };
  await hub.store.write(async (tx) => {
    for (let start = 0; start < notified.length; start += IDS_AT_ONCE) {
      await messages.markNotified(tx, notified.slice(start, start + IDS_AT_ONCE), tx.now);
    }
    for (const [tokenId, at] of used) await tokens.markUsed(tx, tokenId, at, at + USER_TOKEN_IDLE_MS);
  });
  return { notified: notified.length, used: used.size };
}
