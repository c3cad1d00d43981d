// Delivers the rest of broadcasts that were cut short, as by a crash of the hub.
import type { Hub } from '../hub.ts';
import { finishBroadcast } from '../operations/messages/broadcast.ts';
import { listUnfinished } from '../store/broadcasts.ts';
import { scoped } from '../store/engine/database.ts';

export async function run(hub: Hub): Promise<{ broadcasts: number }> {
  const unfinished = await hub.store.read(listUnfinished);
  for (const { broadcast_seq, network_id } of unfinished) {
    if (hub.life.isStopping) break;
    await finishBroadcast({ ...hub, store: scoped(hub.store, { tenant: network_id, networks: [network_id] }) }, broadcast_seq);
  }
  return { broadcasts: unfinished.length };
}
