// Takes sessions without a heartbeat offline and expires tasks whose ttl ran out. Overdue changes of a network are
// written before any other write to it and before any read that shows them; the sweep covers only unused networks. A
// request waits only for the networks it concerns. Large numbers are written in portions, one commit each. On a full
// disk nothing is written and reads show the previous state.
import type { Hub } from '../hub.ts';
import type { ScopedStore } from '../store/engine/database.ts';
import type { Reader, Transaction } from '../store/engine/transaction.ts';
import * as networks from '../store/networks.ts';
import * as sessions from '../store/sessions.ts';
import * as tasks from '../store/tasks.ts';
import { bestEffort } from './best-effort.ts';
import { markOffline, type PresenceContext, presenceAt, writeHeartbeats } from './sessions/presence.ts';
import { expireDue } from './tasks/expire.ts';

const AT_ONCE = 250; // about 10 ms
const AT_LEAST = 10;
const NETWORKS_AT_ONCE = 500;

/** The subset of Hub this needs; it exists before the hub does. */
export type ExpiryContext = PresenceContext & Pick<Hub, 'timedOut'>;

/** Reads the current state of the caller's networks, after writing what is overdue. */
export async function readCurrent<T>(hub: Hub, store: ScopedStore, read: (reader: Reader) => Promise<T>): Promise<T> {
  const seen = await store.read(async (reader) =>
    (await isAnyOverdue(hub, reader, store.scope.networks)) ? undefined : { value: await read(reader) },
  );
  if (seen !== undefined) return seen.value;
  await bestEffort(store.write(async () => {}));
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
  const overdue = new Set<string>();
  if (found.length === 0) return overdue;
  await writeHeartbeats(context, tx);
  const share = Math.max(AT_LEAST, Math.floor(AT_ONCE / found.length));
  let done = 0;
  for (const networkId of found) {
    const portion = done < AT_ONCE ? await catchUpPortion(context, tx, networkId, share) : NOTHING_YET;
    context.timedOut.sessions += portion.sessions;
    context.timedOut.tasks += portion.tasks;
    done += portion.rows;
    if (!portion.isAll) overdue.add(networkId);
  }
  return overdue;
}

/** `rows` counts everything that was written, including tasks that were only marked as overtime. */
type Portion = { sessions: number; tasks: number; rows: number; isAll: boolean };

const NOTHING_YET: Portion = { sessions: 0, tasks: 0, rows: 0, isAll: false };

/** Sessions come first, because a running task does not expire while its assignee is online. */
async function catchUpPortion(
  context: ExpiryContext,
  tx: Transaction,
  networkId: string,
  limit: number,
): Promise<Portion> {
  const offline = await markOffline(context, tx, networkId, limit);
  if (offline === limit) return { sessions: offline, tasks: 0, rows: offline, isAll: false };
  const { due, expired } = await expireDue(tx, networkId, limit);
  return { sessions: offline, tasks: expired, rows: offline + due, isAll: due < limit };
}

async function isAnyOverdue(context: ExpiryContext, reader: Reader, networkIds: readonly string[]): Promise<boolean> {
  for (const networkId of networkIds) if (await isOverdue(context, reader, networkId)) return true;
  return false;
}

async function listOverdue(context: ExpiryContext, reader: Reader, networkIds: readonly string[]): Promise<string[]> {
  const overdue: string[] = [];
  for (const networkId of networkIds) if (await isOverdue(context, reader, networkId)) overdue.push(networkId);
  return overdue;
}

async function isOverdue(context: ExpiryContext, reader: Reader, networkId: string): Promise<boolean> {
  return (
    (await sessions.isAnySilent(reader, networkId, presenceAt(context, reader.now))) ||
    (await tasks.isAnyDue(reader, networkId))
  );
}
