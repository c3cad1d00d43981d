// Writes down who fell silent and which tasks time has ended.
import type { Hub } from '../hub.ts';
import { catchUp } from '../operations/time-passes.ts';

export async function run(hub: Hub): Promise<{ sessions: number; tasks: number }> {
  const before = { ...hub.passed };
  await catchUp(hub);
  return { sessions: hub.passed.sessions - before.sessions, tasks: hub.passed.tasks - before.tasks };
}
