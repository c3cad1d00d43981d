// Removes messages, tasks, completions and entries of the audit log that are kept no longer. What it removes is gone for ever, so
// it waits while the time is in doubt: shortly after a jump, and as long as the hub is ahead of the clock of the machine.
import { CLOCK_JUMP_MS, CLOCK_TRUSTED_AFTER_MS } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import { prune, type Pruned } from '../operations/retention.ts';

export async function run(hub: Hub): Promise<Pruned> {
  return isTimeCertain(hub) ? prune(hub, hub.settings, { dryRun: false }) : NOTHING;
}

const NOTHING: Pruned = { events: 0, messages: 0, tasks: 0, completions: 0, nodes: 0, audit_entries: 0 };

// A machine may start with a wrong clock and have it set right within minutes.
function isTimeCertain({ clock, awake }: Hub): boolean {
  return clock.ahead() <= CLOCK_JUMP_MS && clock.now() - awake.since >= CLOCK_TRUSTED_AFTER_MS;
}
