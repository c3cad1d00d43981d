// Measures how many bytes of text each network stores, if a quota limits them; one page of rows per read.
import type { Hub } from '../hub.ts';
import { type Place, readTextBytes, START } from '../store/counts/text-bytes.ts';

const ROWS_AT_ONCE = 1_000;

export async function measureNetworks(hub: Hub): Promise<{ measured: number }> {
  if (hub.settings.max_network_bytes === 0) return { measured: 0 };
  const finish = hub.networkBytes.begin();
  const found = new Map<string, number>();
  for (let place: Place | undefined = START; place !== undefined; ) {
    if (hub.life.isStopping) return { measured: 0 };
    const from: Place = place;
    const { rows, next } = await hub.store.read((reader) => readTextBytes(reader, from, ROWS_AT_ONCE));
    for (const { network_id, bytes } of rows) found.set(network_id, (found.get(network_id) ?? 0) + bytes);
    place = next;
  }
  finish(found);
  return { measured: found.size };
}
