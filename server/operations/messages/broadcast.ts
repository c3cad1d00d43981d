// broadcast: sends a message to every online agent of the network except the sender. It delivers in portions with a
// commit each, so that writes of other networks do not wait. The response follows the first commit; the rest is
// delivered afterwards, after a crash at the next start.
import * as v from 'valibot';
import { invalidInput, unavailable } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_BROADCAST_BYTES, MEBIBYTE } from '../../domain/limits.ts';
import { encodedBytes } from '../../domain/text/encoded-bytes.ts';
import type { Hub } from '../../hub.ts';
import * as broadcasts from '../../store/broadcasts.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as sessions from '../../store/sessions.ts';
import { operation } from '../operation.ts';
import { takeBytes } from '../quotas.ts';
import { deliverToAll } from './deliver.ts';
import { sendOnce } from './send-once.ts';

export const broadcast = operation({
  name: 'broadcast',
  summary: 'Message all online agents.',
  access: 'write',
  input: v.object({
    content: fields.longText,
    from_session: fields.fromSession,
    network_id: fields.networkId,
    idempotency_key: fields.idempotencyKey,
  }),
  run: async (hub, caller, request, { store }) => {
    const { from_session: from, content: text } = request;
    let started: Started | undefined;
    const hasWaited = await hub.unfinishedBroadcasts.waitFor(caller.network_id);
    // Otherwise a shutdown would take as long as all waiting broadcasts.
    if (hasWaited && hub.life.isStopping)
      throw unavailable('the hub is stopping; retry the broadcast after the restart');
    const answer = await sendOnce(
      hub,
      store,
      caller,
      { operation: 'broadcast', input: request, from, to: '*', text },
      async (tx) => {
        assertNotTooMuch(text, await sessions.countOnline(tx, caller.network_id));
        takeBytes(hub, tx, caller.network_id, 1, text);
        started = await begin(hub, tx, { network_id: caller.network_id, content: text, from_session: from });
        return { ok: true, delivered_count: started.count };
      },
    );
    if (started?.unfinished !== undefined)
      hub.unfinishedBroadcasts.deliver(caller.network_id, started.unfinished, caller.user_id);
    return answer;
  },
});

const PORTION = 128;

type Started = {
  /** The number of all recipients. */
  count: number;
  /** The number of the broadcast, if recipients are left. */
  unfinished: number | undefined;
};

type Text = Pick<broadcasts.Broadcast, 'network_id' | 'content' | 'from_session'>;

async function begin(hub: Hub, tx: Transaction, text: Text): Promise<Started> {
  const audience = audienceOf(hub, text);
  const aliases = await broadcasts.listAudience(tx, audience, '', PORTION);
  if (aliases.length === 0) return { count: 0, unfinished: undefined };
  const isAll = aliases.length < PORTION;
  const count = isAll ? aliases.length : await broadcasts.countAudience(tx, audience);
  const broadcast_seq = await broadcasts.insert(tx, { ...text, delivered_to: isAll ? null : lastOf(aliases) });
  await deliverTo(hub, tx, { ...text, broadcast_seq }, aliases);
  return { count, unfinished: isAll ? undefined : broadcast_seq };
}

/**
 * Delivers the rest of a broadcast on behalf of this user. If the hub stops, its next start continues, without knowing
 * the user. Safe to call twice at the same time.
 */
export async function finishBroadcast(
  hub: Hub,
  networkId: string,
  broadcastSeq: number,
  userId?: string,
): Promise<void> {
  const scope = { tenant: networkId, networks: [networkId], ...(userId !== undefined && { user: userId }) };
  while (!hub.life.isStopping && (await hub.store.write((tx) => deliverPortion(hub, tx, broadcastSeq), scope)));
}

/** Returns whether recipients are left. */
async function deliverPortion(hub: Hub, tx: Transaction, broadcastSeq: number): Promise<boolean> {
  const unfinished = await broadcasts.findUnfinished(tx, broadcastSeq);
  if (unfinished === undefined) return false;
  const aliases = await broadcasts.listAudience(tx, audienceOf(hub, unfinished), unfinished.delivered_to, PORTION);
  const isAll = aliases.length < PORTION;
  await deliverTo(hub, tx, unfinished, aliases);
  await broadcasts.setReached(tx, broadcastSeq, isAll ? null : lastOf(aliases));
  return !isAll;
}

function audienceOf({ settings }: Hub, { network_id, from_session }: Text): broadcasts.Audience {
  return {
    networkId: network_id,
    sender: from_session,
    maxPending: settings.max_pending_messages || Number.MAX_SAFE_INTEGER,
  };
}

function deliverTo(
  hub: Hub,
  tx: Transaction,
  text: Text & { broadcast_seq: number },
  aliases: readonly string[],
): Promise<void> {
  const { network_id, content, from_session, broadcast_seq } = text;
  return deliverToAll(
    tx,
    aliases.map((alias) => ({
      id: hub.ids.next('msg'),
      network_id,
      alias,
      type: 'broadcast',
      content,
      from_session,
      broadcast_seq,
    })),
  );
}

function lastOf(aliases: readonly string[]): string {
  return aliases.at(-1) ?? '';
}

// A broadcast is published once per recipient, and all copies wait in memory for their readers at once.
function assertNotTooMuch(text: string, recipients: number): void {
  if (encodedBytes(text) * recipients <= MAX_BROADCAST_BYTES) return;
  const most = Math.floor(MAX_BROADCAST_BYTES / recipients);
  throw invalidInput(
    `content is too long for ${recipients} online agents: at most ${most} bytes each (${MAX_BROADCAST_BYTES / MEBIBYTE} MiB in all)`,
  );
}
