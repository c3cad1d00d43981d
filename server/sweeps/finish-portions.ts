// Finishes broadcasts and renames that were cut short, as by a crash of the hub.
import type { Hub } from '../hub.ts';
import { finishRename } from '../operations/agents/rename.ts';
import { finishBroadcast } from '../operations/messages/broadcast.ts';
import { listUnfinished } from '../store/broadcasts.ts';
import { scoped } from '../store/engine/database.ts';
import { listMoving } from '../store/readdress.ts';

export async function run(hub: Hub): Promise<{ broadcasts: number; renames: number }> {
  const broadcasts = await hub.store.read(listUnfinished);
  const renames = await hub.store.read(listMoving);
  for (const { broadcast_seq, network_id } of broadcasts) {
    await finishBroadcast(hub, network_id, broadcast_seq);
  }
  for (const moving of renames) {
    if (!hub.life.isStopping) await finishRename(within(hub, moving.network_id), moving);
  }
  return { broadcasts: broadcasts.length, renames: renames.length };
}

function within(hub: Hub, networkId: string): Hub {
  return { ...hub, store: scoped(hub.store, { tenant: networkId, networks: [networkId] }) };
}
