// Finishes broadcasts and renames that were interrupted, for example by a crash of the hub. A network that is making a
// rename finishes earlier ones of the same session itself; the others are finished by a later run.
import type { Hub } from '../hub.ts';
import { finishRename } from '../operations/agents/rename.ts';
import { finishBroadcast } from '../operations/messages/broadcast.ts';
import { listUnfinished } from '../store/broadcasts.ts';
import { listMoving } from '../store/bulk/readdress.ts';
import { type ScopedStore, scoped } from '../store/engine/database.ts';

export async function finishPortions(hub: Hub): Promise<{ broadcasts: number; renames: number }> {
  return { broadcasts: await finishBroadcasts(hub), renames: await finishRenames(hub) };
}

async function finishBroadcasts(hub: Hub): Promise<number> {
  let finished = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    const page = await hub.store.read((reader) => listUnfinished(reader, from));
    for (const { network_id, broadcast_seq } of page) await finishBroadcast(hub, network_id, broadcast_seq);
    finished += page.length;
    after = hub.life.isStopping ? undefined : page.at(-1)?.broadcast_seq;
  }
  return finished;
}

async function finishRenames(hub: Hub): Promise<number> {
  const renames = await hub.store.read(listMoving);
  for (const moving of renames) {
    const { network_id: networkId } = moving;
    if (!hub.life.isStopping && !hub.renames.isRunning(networkId))
      await finishRename(hub, within(hub, networkId), moving);
  }
  return renames.length;
}

function within({ store }: Hub, networkId: string): ScopedStore {
  return scoped(store, { tenant: networkId, networks: [networkId] });
}
