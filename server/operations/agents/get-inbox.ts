// get_inbox: returns the pending messages of an agent. Delivery is at least once: a message is returned until it is
// acknowledged.
import * as v from 'valibot';
import type { NetworkReader } from '../../domain/accounts/caller.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_INBOX_LIMIT, MAX_INBOX_BYTES, MAX_INBOX_LIMIT, MAX_WAIT_SECONDS } from '../../domain/limits.ts';
import { inboxRecord } from '../../domain/message.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import { listLatestAwaited } from '../../store/lists/awaited.ts';
import * as messages from '../../store/messages.ts';
import { bestEffort } from '../best-effort.ts';
import { readCurrent } from '../expiry.ts';
import { operation } from '../operation.ts';
import { readFirst } from '../page.ts';
import { recordHeartbeats } from '../sessions/presence.ts';
import { waitUntil } from '../waiting.ts';

export const getInbox = operation({
  name: 'get_inbox',
  summary: 'Your messages.',
  access: 'read',
  input: v.object({
    alias: fields.alias,
    limit: fields.limit(DEFAULT_INBOX_LIMIT, MAX_INBOX_LIMIT),
    wait_seconds: v.optional(
      fields.described(fields.wholeNumberFrom(0, MAX_WAIT_SECONDS), 'wait for a first message'),
      0,
    ),
    peek: v.optional(
      fields.described(v.boolean('must be true or false'), 'leave the messages unfetched, as new mail'),
      false,
    ),
    network_id: fields.networkId,
  }),
  run: async (hub, caller, request, context) => {
    const [networkId] = caller.networks;
    if (networkId === undefined) return { ok: true, messages: [] };
    const found = await waitUntil(hub, caller, context, {
      topic: { networks: [networkId], inbox: request.alias },
      milliseconds: request.wait_seconds * SECOND_MS,
      look: () => look(hub, context.store, caller, networkId, request),
      isDone: ({ shown }) => shown.length > 0 || request.wait_seconds === 0,
    });
    return { ok: true, messages: found.shown.map(inboxRecord), ...(found.isCut && { more: true }) };
  },
});

async function look(
  hub: Hub,
  store: ScopedStore,
  caller: NetworkReader,
  networkId: string,
  { alias, limit, peek }: { alias: string; limit: number; peek: boolean },
) {
  const found = await readCurrent(hub, store, async (reader) => {
    const page = await readFirst(limit, MAX_INBOX_BYTES, (count, skipped) =>
      messages.listPending(reader, networkId, alias, count, skipped),
    );
    const isFull = page.isCut || page.shown.length === limit;
    return isFull && page.shown.every(isUrgentTask) ? withAwaited(reader, networkId, alias, page) : page;
  });
  if (!caller.asViewer) await bestEffort(store, () => markRead(hub, store, networkId, alias, peek ? [] : found.shown));
  return found;
}

function isUrgentTask({ type, priority }: messages.PendingMessage): boolean {
  return type === 'task' && priority === 'high';
}

/**
 * What the agent waits for takes the place of the last tasks, but for one. It arrived after them, and with the same
 * priority, so the order stays.
 */
async function withAwaited<Page extends { shown: readonly messages.PendingMessage[] }>(
  reader: Reader,
  networkId: string,
  alias: string,
  { shown, ...page }: Page,
) {
  const awaited = await listLatestAwaited(reader, networkId, alias, Math.max(1, shown.length - 1));
  return { ...page, shown: [...shown.slice(0, shown.length - awaited.length), ...awaited.toReversed()] };
}

// A poll that finds nothing new costs a write at most every 15 seconds.
async function markRead(
  hub: Hub,
  store: ScopedStore,
  networkId: string,
  alias: string,
  found: readonly messages.PendingMessage[],
): Promise<void> {
  const heartbeat = { network_id: networkId, alias, at: hub.clock.now() };
  const isHeartbeatDue = hub.heartbeats.note(heartbeat);
  const firstSeen = found.filter(({ fetched_at }) => fetched_at === null).map(({ message_seq }) => message_seq);
  if (!isHeartbeatDue && firstSeen.length === 0) return;
  await store.write(async (tx) => {
    if (isHeartbeatDue) await recordHeartbeats(tx, [heartbeat]);
    if (firstSeen.length > 0) await messages.markFetched(tx, firstSeen);
  });
}
