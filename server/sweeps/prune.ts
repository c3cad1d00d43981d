// Removes messages, tasks, completions and entries of the audit log that are kept no longer.
import type { Hub } from '../hub.ts';
import { prune, type Pruned } from '../operations/retention.ts';

export async function run(hub: Hub): Promise<Pruned> {
  return prune(hub, hub.settings, { dryRun: false });
}
