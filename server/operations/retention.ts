// Removes what the operator does not want to keep for longer, a portion to a commit, so that nobody's write waits for it.
import { DAY_MS, HOUR_MS } from '../domain/time.ts';
import type { Hub } from '../hub.ts';
import { countOver, findWindow, removeOver, type Kind } from '../store/retention.ts';

/** How long things are kept; days of 0 are without end. */
export type Retention = Pick<Hub['settings'], 'keep_events_hours' | 'keep_messages_days' | 'keep_tasks_days' | 'keep_audit_days'>;

/** How many of each went, or would go. */
export type Pruned = Record<Exclude<Kind, 'unread_messages'>, number>;

export async function prune(hub: Hub, retention: Retention, { dryRun }: { dryRun: boolean }): Promise<Pruned> {
  const pruned: Pruned = { events: 0, messages: 0, tasks: 0, completions: 0, audit_entries: 0 };
  for (const [kind, keptMs] of keptFor(retention)) {
    if (keptMs > 0) pruned[kind === 'unread_messages' ? 'messages' : kind] += await pruneKind(hub, kind, keptMs, dryRun);
  }
  return pruned;
}

function keptFor(retention: Retention): [kind: Kind, milliseconds: number][] {
  return [
    ['events', retention.keep_events_hours * HOUR_MS],
    ['messages', retention.keep_messages_days * DAY_MS],
    ['unread_messages', retention.keep_tasks_days * DAY_MS], // nobody reads them
    ['tasks', retention.keep_tasks_days * DAY_MS],
    ['completions', retention.keep_tasks_days * DAY_MS],
    ['audit_entries', retention.keep_audit_days * DAY_MS],
  ];
}

/** Everything of one kind that is over since longer than it is kept. A hub that ends leaves the rest to its next start. */
export async function pruneKind(hub: Hub, kind: Kind, keptMs: number, dryRun = false): Promise<number> {
  const cutoff = hub.clock.now() - keptMs;
  let total = 0;
  for (let from: number | undefined = 0; from !== undefined && !hub.life.isStopping; ) {
    const start: number = from;
    const window = await hub.store.read((reader) => findWindow(reader, kind, cutoff, start));
    if (window === undefined) break;
    total += await (dryRun ? hub.store.read((reader) => countOver(reader, kind, cutoff, window)) : hub.store.write((tx) => removeOver(tx, kind, cutoff, window)));
    from = window.next;
  }
  return total;
}
