// Takes sessions without a heartbeat offline and expires tasks whose ttl ran out. Overdue changes of a network are
// written before any other write to it and before any read that shows them; the sweep covers only unused networks. A
// request waits only for the networks it concerns. Large numbers are written in portions, one commit each. On a full
// disk nothing is written and reads show the previous state.
import type { Hub } from '../hub.ts';
import * as dueTasks from '../store/due-tasks.ts';
import type { ScopedStore } from '../store/engine/database.ts';
import type { Reader, Transaction } from '../store/engine/transaction.ts';
import * as networks from '../store/networks.ts';
import * as sessions from '../store/sessions.ts';
import { bestEffort } from './best-effort.ts';
import { openPortions } from './portion-size.ts';
import { type PresenceContext, presenceAt, takeOffline } from './sessions/presence.ts';
import { expireDue } from './tasks/expire.ts';

/** A session is published once for all tasks of a step, hence more than in other work. */
const STEP = { max: 32 };
const NETWORKS_AT_ONCE = 500;

/** The subset of Hub this needs; it exists before the hub does. */
export type ExpiryContext = PresenceContext & Pick<Hub, 'timedOut'>;

/** Reads the current state of the caller's networks, after writing what is overdue. */
export async function readCurrent<T>(hub: Hub, store: ScopedStore, read: (reader: Reader) => Promise<T>): Promise<T> {
  const seen = await store.read(async (reader) =>
    (await isAnyOverdue(hub, reader, store.scope.networks)) ? undefined : { value: await read(reader) },
  );
  if (seen !== undefined) return seen.value;
  await bestEffort(store, () => store.write(async () => {}));
  return store.read(read);
}

/** Writes what is overdue in every network. */
export async function catchUp(hub: Hub): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const after: number = last;
    const { overdue, next } = await hub.store.read(async (reader) => {
      const page = await networks.listAfter(reader, after, NETWORKS_AT_ONCE);
      return {
        overdue: await listOverdue(
          hub,
          reader,
          page.map(({ network_id }) => network_id),
        ),
        next: page.at(-1)?.seq,
      };
    });
    // Every write first brings the networks of its scope up to date, so an empty one is enough.
    await Promise.all(
      overdue.map((network) => hub.store.write(async () => {}, { tenant: network, networks: [network] })),
    );
    last = next;
  }
}

/**
 * Runs before each group of writes, in portions, for the networks they touch. Returns the networks that are not
 * finished; their writes wait for a later group.
 */
export async function expireAndMarkOffline(
  context: ExpiryContext,
  tx: Transaction,
  networkIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await listOverdue(context, tx, networkIds);
  const overdue = new Set(found);
  if (found.length === 0) return overdue;
  // Each network gets a step in turn, and another one comes first each time, since one step may use up the portion.
  const first = tx.now % found.length;
  await openPortions(undefined, STEP).run([...found.slice(first), ...found.slice(0, first)], async (queue, rows) => {
    const [networkId, ...others] = queue;
    if (networkId === undefined) return undefined;
    if (!(await catchUpSome(context, tx, networkId, rows))) return [...others, networkId];
    overdue.delete(networkId);
    return others;
  });
  return overdue;
}

/**
 * Returns whether nothing is left. Sessions come first, because a running task does not expire while its assignee is
 * online.
 */
async function catchUpSome(context: ExpiryContext, tx: Transaction, networkId: string, rows: number): Promise<boolean> {
  const { handled, offline } = await takeOffline(context, tx, networkId, rows);
  context.timedOut.sessions += offline;
  if (handled === rows) return false;
  const { due, expired } = await expireDue(tx, networkId, rows - handled);
  context.timedOut.tasks += expired;
  return due < rows - handled;
}

async function isAnyOverdue(context: ExpiryContext, reader: Reader, networkIds: readonly string[]): Promise<boolean> {
  return (await listOverdue(context, reader, networkIds)).length > 0;
}

async function listOverdue(context: ExpiryContext, reader: Reader, networkIds: readonly string[]): Promise<string[]> {
  const all = await Promise.all(networkIds.map((networkId) => isOverdue(context, reader, networkId)));
  return networkIds.filter((_, index) => all[index]);
}

async function isOverdue(context: ExpiryContext, reader: Reader, networkId: string): Promise<boolean> {
  const silent = sessions.isAnySilent(reader, networkId, presenceAt(context, reader.now));
  const [isAnySilent, areAnyDue] = await Promise.all([silent, dueTasks.areAny(reader, networkId)]);
  return isAnySilent || areAnyDue;
}
