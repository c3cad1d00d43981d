// Writes down which sessions fell silent.
import type { Hub } from '../hub.ts';
import { markSilentSessions } from '../operations/time-passes.ts';

export async function run(hub: Hub): Promise<{ sessions: number }> {
  return { sessions: await markSilentSessions(hub) };
}
