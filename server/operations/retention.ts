// Removes records past their retention, in portions with a commit each, so that other writes do not wait.
import { DAY_MS, HOUR_MS } from '../domain/time/time.ts';
import { NOTHING_PRUNED, type Pruned } from '../events/memory.ts';
import type { Hub } from '../hub.ts';
import * as rows from '../store/bulk/retention.ts';
import type { Reader } from '../store/engine/transaction.ts';
import { FIRST_INBOX, removeEmpty } from '../store/inboxes.ts';
import { type Elapsed, openPortions, type Portions } from './portion-size.ts';

/** Retention periods. A number of days of 0 means that the records are kept forever. */
export type Retention = Pick<
  Hub['settings'],
  'keep_events_hours' | 'keep_messages_days' | 'keep_tasks_days' | 'keep_audit_days'
>;

/** Returns how many of each kind were removed, or would be removed in a dry run. */
export async function removeOld(hub: Hub, retention: Retention, options: Options): Promise<Pruned> {
  const pruned = { ...NOTHING_PRUNED };
  for (const [kind, keptMs] of keptFor(retention)) {
    if (keptMs === 0) continue;
    const count = await (kind === 'events'
      ? removeOldEvents(hub, keptMs, options)
      : pruneKind(hub, kind, keptMs, options));
    pruned[kind === 'unread_messages' ? 'messages' : kind] += count;
  }
  if (!options.dryRun) await removeEmptyInboxes(hub, options);
  hub.nodeCounts.forget();
  return pruned;
}

type Options = { dryRun: boolean; elapsed?: Elapsed };

function keptFor(retention: Retention): [kind: rows.Kind, milliseconds: number][] {
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
async function removeEmptyInboxes(hub: Hub, { elapsed }: Options): Promise<void> {
  const portions = openPortions(elapsed);
  for (let after: typeof FIRST_INBOX | undefined = FIRST_INBOX; after !== undefined && !hub.life.isStopping; ) {
    const from: typeof FIRST_INBOX = after;
    after = await hub.store.write((tx) => portions.run(from, (key, limit) => removeEmpty(tx, key, limit)));
  }
}

/** Removes stream events past their retention, those derived from task events first. */
export async function removeOldEvents(hub: Hub, keptMs: number, options: Options): Promise<number> {
  const cutoff = hub.clock.now() - keptMs;
  const portions = openPortions(options.elapsed);
  let total = 0;
  for (let from: number | undefined, isMore = true; isMore && !hub.life.isStopping; isMore = from !== undefined) {
    const old = await findOldMoves(hub, portions, cutoff, from);
    if (old.events > 0 && !options.dryRun) await hub.store.write((tx) => rows.forgetMoves(tx, old.last));
    total += old.events;
    from = old.next;
  }
  return total + (await pruneKind(hub, 'events', keptMs, options));
}

function findOldMoves(hub: Hub, portions: Portions, cutoff: number, start: number | undefined): Promise<rows.OldMoves> {
  return hub.store.read(async (reader) => {
    const old = { events: 0, last: 0 };
    const place = await portions.run({ from: start }, async ({ from }, limit) => {
      const { events, last, next } = await rows.findOldMoves(reader, cutoff, from, limit);
      old.events += events;
      old.last = Math.max(old.last, last);
      return next === undefined ? undefined : { from: next };
    });
    return { ...old, next: place?.from };
  });
}

/**
 * Removes everything of one kind that ended before the retention period. If the hub stops, its next start removes the
 * rest.
 */
async function pruneKind(hub: Hub, kind: rows.Kind, keptMs: number, { dryRun, elapsed }: Options): Promise<number> {
  const cutoff = hub.clock.now() - keptMs;
  const [checks, removals] = [openPortions(elapsed), openPortions(elapsed)];
  let total = 0;
  for (let place: rows.Place | undefined = rows.START; place !== undefined && !hub.life.isStopping; ) {
    const from: rows.Place = place;
    const { numbers, next } = await hub.store.read((reader) => findExpired(reader, checks, kind, cutoff, from));
    total += dryRun ? numbers.length : await removeExpired(hub, removals, kind, cutoff, numbers);
    place = next;
  }
  return total;
}

async function findExpired(
  reader: Reader,
  portions: Portions,
  kind: rows.Kind,
  cutoff: number,
  place: rows.Place,
): Promise<rows.Expired> {
  const numbers: number[] = [];
  const next = await portions.run(place, async (from, limit) => {
    const found = await rows.findExpired(reader, kind, cutoff, from, limit);
    numbers.push(...found.numbers);
    return found.next;
  });
  return { numbers, next };
}

/** Removes those of the rows that are still expired. Returns their number. */
async function removeExpired(
  hub: Hub,
  portions: Portions,
  kind: rows.Kind,
  cutoff: number,
  numbers: readonly number[],
): Promise<number> {
  let total = 0;
  for (let left = numbers; left.length > 0 && !hub.life.isStopping; ) {
    const before = left;
    const portion = await hub.store.write(async (tx) => {
      let count = 0;
      const after = await portions.run(before, async (some, limit) => {
        const { removed, finished } = await rows.removeExpired(tx, kind, cutoff, some, limit);
        count += removed;
        return finished < some.length ? some.slice(finished) : undefined;
      });
      return { count, left: after ?? [] };
    });
    total += portion.count;
    left = portion.left;
  }
  return total;
}
