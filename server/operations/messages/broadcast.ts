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
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Reader, Transaction } from '../../store/engine/transaction.ts';
import * as sessions from '../../store/sessions.ts';
import { readCurrent } from '../expiry.ts';
import { operation } from '../operation.ts';
import { openPortions } from '../portion-size.ts';
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
    const sent = { network_id: caller.network_id, content: text, from_session: from };
    const counted = await countIfMany(hub, store, sent);
    const answer = await sendOnce(
      hub,
      store,
      caller,
      { operation: 'broadcast', input: request, from, to: '*', text },
      async (tx) => {
        takeBytes(hub, tx, caller.network_id, 1, text);
        started = await begin(hub, tx, sent, counted);
        return { ok: true, delivered_count: started.count };
      },
    );
    if (started?.unfinished !== undefined)
      hub.unfinishedBroadcasts.deliver(caller.network_id, started.unfinished, caller.user_id);
    return answer;
  },
});

/** Recipients of a commit. Each may store its alias five times, and an alias can have hundreds of bytes. */
const PORTION = 128;
const PORTION_ALIAS_BYTES = 16 * 1024;
/** Agents counted in a step. */
const COUNTED_AT_ONCE = { max: 256 };

type Started = {
  /** The number of all recipients. */
  count: number;
  /** The number of the broadcast, if recipients are left. */
  unfinished: number | undefined;
};

type Text = Pick<broadcasts.Broadcast, 'network_id' | 'content' | 'from_session'>;

/** Counts the recipients if they may not fit into the first commit, in portions: there may be tens of thousands. */
async function countIfMany(hub: Hub, store: ScopedStore, text: Text): Promise<number | undefined> {
  const { sessions: all, audience } = await readCurrent(hub, store, async (reader) => ({
    sessions: await sessions.count(reader, text.network_id),
    audience: await audienceOf(hub, reader, text),
  }));
  if (all < PORTION) return undefined;
  const portions = openPortions(undefined, COUNTED_AT_ONCE);
  let total = 0;
  const step = async (reader: Reader, place: broadcasts.CountPlace, rows: number) => {
    const { count, next } = await broadcasts.countSlice(reader, audience, place, rows);
    total += count;
    return next;
  };
  for (let place: broadcasts.CountPlace | undefined = broadcasts.COUNT_START; place !== undefined; ) {
    const from: broadcasts.CountPlace = place;
    place = await store.read((reader) => portions.run(from, (at, rows) => step(reader, at, rows)));
  }
  return total;
}

/** `counted` are all recipients, if they may be many. */
async function begin(hub: Hub, tx: Transaction, text: Text, counted: number | undefined): Promise<Started> {
  const { aliases, last, isAll } = await portionOf(tx, await audienceOf(hub, tx, text), '', PORTION);
  const count = isAll ? aliases.length : Math.max(counted ?? 0, aliases.length);
  assertNotTooMuch(text.content, count);
  if (count === 0) return { count, unfinished: undefined };
  const broadcast_seq = await broadcasts.insert(tx, { ...text, delivered_to: isAll ? null : last });
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
  let done = PORTION;
  while (!hub.life.isStopping && done > 0) {
    const limit = Math.min(PORTION, 2 * done); // more would be read in vain where aliases are long
    done = await hub.store.write((tx) => deliverPortion(hub, tx, broadcastSeq, limit), scope);
  }
}

/** Returns how many agents it has got past, or 0 if none are left. */
async function deliverPortion(hub: Hub, tx: Transaction, broadcastSeq: number, limit: number): Promise<number> {
  const unfinished = await broadcasts.findUnfinished(tx, broadcastSeq);
  if (unfinished === undefined) return 0;
  const audience = await audienceOf(hub, tx, unfinished);
  const { aliases, last, isAll, agents } = await portionOf(tx, audience, unfinished.delivered_to, limit);
  await deliverTo(hub, tx, unfinished, aliases);
  await broadcasts.setReached(tx, broadcastSeq, isAll ? null : last);
  return isAll ? 0 : agents;
}

type Portion = { aliases: string[]; last: string; isAll: boolean; agents: number };

async function portionOf(
  tx: Transaction,
  audience: broadcasts.Audience,
  after: string,
  limit: number,
): Promise<Portion> {
  const found = await broadcasts.listCandidates(tx, audience, after, limit);
  let bytes = 0;
  const fitting = found.filter(
    ({ alias }, index) => (bytes += Buffer.byteLength(alias)) <= PORTION_ALIAS_BYTES || index === 0,
  );
  return {
    aliases: fitting.filter(({ isAudience }) => isAudience).map(({ alias }) => alias),
    last: fitting.at(-1)?.alias ?? '',
    isAll: found.length < limit && fitting.length === found.length,
    agents: fitting.length,
  };
}

async function audienceOf(
  { settings }: Hub,
  reader: Reader,
  { network_id, from_session }: Text,
): Promise<broadcasts.Audience> {
  return {
    networkId: network_id,
    senders: await broadcasts.findSenders(reader, network_id, from_session),
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

// A broadcast is published once per recipient, and all copies wait in memory for their readers at once.
function assertNotTooMuch(text: string, recipients: number): void {
  if (encodedBytes(text) * recipients <= MAX_BROADCAST_BYTES) return;
  const most = Math.floor(MAX_BROADCAST_BYTES / recipients);
  throw invalidInput(
    `content is too long for ${recipients} online agents: at most ${most} bytes each (${MAX_BROADCAST_BYTES / MEBIBYTE} MiB in all)`,
  );
}
