// Writes down which messages were pushed and which tokens were used since the last time.
import type { Hub } from '../hub.ts';
import { writeLateMarks } from '../operations/delivery-marks.ts';

export async function run(hub: Hub): Promise<{ notified: number; used: number }> {
  return writeLateMarks(hub);
}
