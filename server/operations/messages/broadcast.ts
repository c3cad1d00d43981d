// broadcast: one message into the inbox of every online agent of the network but the sender.
import * as v from 'valibot';
import { encodedBytes } from '../../domain/encoded-bytes.ts';
import { invalidInput } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_BROADCAST_BYTES, MEBIBYTE } from '../../domain/limits.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as messages from '../../store/messages.ts';
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
  run: (hub, caller, request) => {
    const { from_session: from, content: text } = request;
    return sendOnce(hub, caller, { operation: 'broadcast', input: request, from, to: '*', text }, async (tx) => {
      const online = await sessions.countOnline(tx, caller.network_id);
      assertNotTooMuch(text, online);
      takeBytes(hub, tx, caller.network_id, 1, text);
      return { ok: true, delivered_count: await deliverInSteps(hub, tx, caller.network_id, from, text) };
    });
  },
});

const AT_ONCE = 250;

/** Returns how many agents it reached. */
async function deliverInSteps(hub: Hub, tx: Transaction, networkId: string, from: string, text: string): Promise<number> {
  const maxPending = hub.settings.max_pending_messages || Number.MAX_SAFE_INTEGER;
  let reached = 0;
  let broadcast_seq: number | undefined;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const aliases: { alias: string }[] = await sessions.listOnlineAliases(tx, networkId, from, maxPending, after, AT_ONCE);
    if (aliases.length > 0) broadcast_seq ??= await messages.insertBroadcast(tx, networkId, text);
    await deliverToAll(tx, aliases.map(({ alias }) => ({
      id: hub.ids.next('msg'), network_id: networkId, alias, type: 'broadcast', content: text, from_session: from, ...(broadcast_seq !== undefined && { broadcast_seq }),
    })));
    await tx.pause();
    reached += aliases.length;
    after = aliases.length < AT_ONCE ? undefined : aliases.at(-1)?.alias;
  }
  return reached;
}

// It is published once for each recipient, and all of that waits for its readers in memory at once.
function assertNotTooMuch(text: string, recipients: number): void {
  if (encodedBytes(text) * recipients <= MAX_BROADCAST_BYTES) return;
  const most = Math.floor(MAX_BROADCAST_BYTES / recipients);
  throw invalidInput(`content is too long for ${recipients} online agents: at most ${most} bytes each (${MAX_BROADCAST_BYTES / MEBIBYTE} MiB in all)`);
}
