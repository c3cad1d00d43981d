// Writes down signs of life that polls and open streams gave since the last time.
import type { Hub } from '../hub.ts';
import { writeSigns } from '../operations/time-passes.ts';

export async function run(hub: Hub): Promise<{ signs: number }> {
  return { signs: await hub.store.write((tx) => writeSigns(hub, tx)) };
}
