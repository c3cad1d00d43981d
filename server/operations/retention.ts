// Removes records past their retention, in portions with a commit each, so that other writes do not wait.
import { DAY_MS, HOUR_MS } from '../domain/time/time.ts';
import type { Hub } from '../hub.ts';
import {
  countExpired,
  findOldMoves,
  findWindow,
  forgetMoves,
  type Kind,
  removeExpired,
} from '../store/bulk/retention.ts';
import { FIRST_INBOX, removeEmpty } from '../store/inboxes.ts';

/** Retention periods. A number of days of 0 means that the records are kept forever. */
export type Retention = Pick<
  Hub['settings'],
  'keep_events_hours' | 'keep_messages_days' | 'keep_tasks_days' | 'keep_audit_days'
>;

/** How many of each kind were removed, or would be removed in a dry run. */
export type Pruned = Record<Exclude<Kind, 'unread_messages'>, number>;

export async function prune(hub: Hub, retention: Retention, { dryRun }: { dryRun: boolean }): Promise<Pruned> {
  const pruned: Pruned = { events: 0, messages: 0, tasks: 0, completions: 0, nodes: 0, audit_entries: 0 };
  for (const [kind, keptMs] of keptFor(retention)) {
    if (keptMs === 0) continue;
    const count = await (kind === 'events' ? pruneEvents(hub, keptMs, dryRun) : pruneKind(hub, kind, keptMs, dryRun));
    pruned[kind === 'unread_messages' ? 'messages' : kind] += count;
  }
  if (!dryRun) await removeEmptyInboxes(hub);
  hub.nodeCounts.forget();
  return pruned;
}

function keptFor(retention: Retention): [kind: Kind, milliseconds: number][] {
  return [
    ['events', retention.keep_events_hours * HOUR_MS],
    ['messages', retention.keep_messages_days * DAY_MS],
    ['unread_messages', retention.keep_tasks_days * DAY_MS], // their agents no longer read them
    ['tasks', retention.keep_tasks_days * DAY_MS],
    ['completions', retention.keep_tasks_days * DAY_MS],
    ['nodes', retention.keep_tasks_days * DAY_MS],
    ['audit_entries', retention.keep_audit_days * DAY_MS],
  ];
}

// Every alias that ever received a message has a row, so empty ones are removed here.
async function removeEmptyInboxes(hub: Hub): Promise<void> {
  for (let after: typeof FIRST_INBOX | undefined = FIRST_INBOX; after !== undefined && !hub.life.isStopping; ) {
    const from: typeof FIRST_INBOX = after;
    after = await hub.store.write((tx) => removeEmpty(tx, from));
  }
}

/** Removes stream events past their retention, those derived from task events first. */
export async function pruneEvents(hub: Hub, keptMs: number, dryRun = false): Promise<number> {
  const cutoff = hub.clock.now() - keptMs;
  let total = 0;
  for (let from: number | undefined, isMore = true; isMore && !hub.life.isStopping; isMore = from !== undefined) {
    const start = from;
    const old = await hub.store.read((reader) => findOldMoves(reader, cutoff, start));
    if (old.events > 0 && !dryRun) await hub.store.write((tx) => forgetMoves(tx, old));
    total += old.events;
    from = old.next;
  }
  return total + (await pruneKind(hub, 'events', keptMs, dryRun));
}

/**
 * Removes everything of one kind that ended before the retention period. If the hub stops, its next start removes the
 * rest.
 */
async function pruneKind(hub: Hub, kind: Kind, keptMs: number, dryRun = false): Promise<number> {
  const cutoff = hub.clock.now() - keptMs;
  let total = 0;
  for (let from: number | undefined = 0; from !== undefined && !hub.life.isStopping; ) {
    const start: number = from;
    const window = await hub.store.read((reader) => findWindow(reader, kind, cutoff, start));
    if (window === undefined) break;
    total += await (dryRun
      ? hub.store.read((reader) => countExpired(reader, kind, cutoff, window))
      : hub.store.write((tx) => removeExpired(tx, kind, cutoff, window)));
    from = window.next;
  }
  return total;
}
