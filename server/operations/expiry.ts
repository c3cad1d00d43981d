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

const AT_ONCE = 250; // about 10 ms, unless their texts are long
const AT_ONCE_MS = 5;
const AT_LEAST = 10;
/** Doubles with each step of a portion. */
const FIRST_ROWS = 2;
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
 * finished; their writes wait for a later group. `elapsed` is a monotonic clock in milliseconds.
 */
export async function expireAndMarkOffline(
  context: ExpiryContext,
  tx: Transaction,
  networkIds: readonly string[],
  elapsed: () => number,
): Promise<ReadonlySet<string>> {
  const found = await listOverdue(context, tx, networkIds);
  const overdue = new Set(found);
  if (found.length === 0) return overdue;
  await writeHeartbeats(context, tx);
  const budget = openBudget(elapsed);
  const share = Math.max(AT_LEAST, Math.floor(AT_ONCE / found.length));
  // Another network comes first each time, since the first may use the whole budget.
  const first = tx.now % found.length;
  for (const networkId of [...found.slice(first), ...found.slice(0, first)]) {
    if (await catchUpPortion(context, tx, networkId, { share, budget })) overdue.delete(networkId);
  }
  return overdue;
}

/** The rows and milliseconds of a portion. A row may hold hundreds of kilobytes, which are read and published. */
type Budget = { take(rows: number): void; isSpent(): boolean };

function openBudget(elapsed: () => number): Budget {
  const end = elapsed() + AT_ONCE_MS;
  let rows = 0;
  return {
    take: (more) => {
      rows += more;
    },
    isSpent: () => rows >= AT_ONCE || elapsed() >= end,
  };
}

/**
 * Returns whether nothing is left. Sessions come first, because a running task does not expire while its assignee is
 * online.
 */
async function catchUpPortion(
  context: ExpiryContext,
  tx: Transaction,
  networkId: string,
  { share, budget }: { share: number; budget: Budget },
): Promise<boolean> {
  const steps = [
    async (limit: number): Promise<number> => {
      const offline = await markOffline(context, tx, networkId, limit);
      context.timedOut.sessions += offline;
      return offline;
    },
    async (limit: number): Promise<number> => {
      const { due, expired } = await expireDue(tx, networkId, limit);
      context.timedOut.tasks += expired;
      return due;
    },
  ];
  let left = share;
  for (const step of steps) {
    let isAll = false;
    for (let size = FIRST_ROWS; !isAll; size *= 2) {
      const limit = Math.min(size, left);
      if (limit === 0 || budget.isSpent()) return false;
      const count = await step(limit);
      budget.take(count);
      left -= count;
      isAll = count < limit;
    }
  }
  return true;
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
