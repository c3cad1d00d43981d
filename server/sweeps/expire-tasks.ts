// Writes down which tasks time has ended.
import type { Hub } from '../hub.ts';
import { expireOverdueTasks } from '../operations/time-passes.ts';

export async function run(hub: Hub): Promise<{ tasks: number }> {
  return { tasks: await expireOverdueTasks(hub) };
}
