// Counts sessions and tasks of the caller's networks, or of the whole hub.
import * as v from 'valibot';
import { forbidden } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { TASK_STATUSES } from '../../domain/task-status.ts';
import type { Hub } from '../../hub.ts';
import * as taskCounts from '../../store/counts/task-counts.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as networks from '../../store/networks.ts';
import * as sessions from '../../store/sessions.ts';
import * as users from '../../store/users.ts';
import { bestEffort } from '../best-effort.ts';
import { catchUp, readCurrent } from '../expiry.ts';
import { operation } from '../operation.ts';
import { openPortions } from '../portion-size.ts';

export const getStats = operation({
  name: 'get_stats',
  summary: 'Count sessions and tasks.',
  access: 'read',
  input: v.object({
    scope: v.optional(
      fields.described(
        fields.oneOf(['own', 'hub']),
        'hub: all networks, with counts of networks and users (system admin)',
      ),
    ),
    network_id: fields.networkId,
  }),
  run: (hub, caller, { scope }, { store }) => {
    if (scope !== 'hub') return readCurrent(hub, store, (reader) => countAll(reader, caller.networks));
    if (caller.system_role !== 'admin' || caller.token_kind !== 'user')
      throw forbidden('only a system admin may read the statistics of the whole hub');
    return countHub(hub, store);
  },
});

/** Includes every status, so that the counts always add up to the total. */
export async function countAll(reader: Reader, networkIds: readonly string[]) {
  return statsOf(await countByStatus(reader, networkIds));
}

type StatusTotal = { status: string; count: number };
type Counts = { ofTasks: StatusTotal[]; ofSessions: StatusTotal[] };

async function countByStatus(reader: Reader, networkIds: readonly string[]): Promise<Counts> {
  return {
    ofTasks: await taskCounts.countByStatus(reader, networkIds),
    ofSessions: await sessions.countByStatus(reader, networkIds),
  };
}

function statsOf({ ofTasks, ofSessions }: Counts) {
  const byStatus = Object.fromEntries(
    TASK_STATUSES.map((name) => [name, sum(ofTasks.filter(({ status }) => status === name))]),
  );
  const [total, offline] = [sum(ofSessions), sum(ofSessions.filter(({ status }) => status === 'offline'))];
  return { sessions: { total, online: total - offline, offline }, tasks: { total: sum(ofTasks), ...byStatus } };
}

function sum(counts: readonly { count: number }[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

/** The number of values a statement can bind is limited. */
const NETWORKS_AT_ONCE = { max: 500 };

/** Reads in portions, so that other requests run in between. */
async function countHub(hub: Hub, store: ScopedStore) {
  await bestEffort(store, () => catchUp(hub));
  const portions = openPortions(undefined, NETWORKS_AT_ONCE);
  const counts: Counts = { ofTasks: [], ofSessions: [] };
  let networkCount = 0;
  const step = async (reader: Reader, after: number, limit: number): Promise<number | undefined> => {
    const page = await networks.listAfter(reader, after, limit);
    if (page.length === 0) return undefined;
    const ids = page.map(({ network_id }) => network_id);
    const { ofTasks, ofSessions } = await countByStatus(reader, ids);
    addTo(counts.ofTasks, ofTasks);
    addTo(counts.ofSessions, ofSessions);
    networkCount += page.length;
    return page.at(-1)?.seq;
  };
  for (let place: number | undefined = 0; place !== undefined; ) {
    const from: number = place;
    place = await store.read((reader) => portions.run(from, (after, limit) => step(reader, after, limit)));
  }
  return { ...statsOf(counts), networks: networkCount, users: await store.read((reader) => users.count(reader)) };
}

function addTo(totals: StatusTotal[], counts: readonly StatusTotal[]): void {
  for (const { status, count } of counts) {
    const total = totals.find((each) => each.status === status);
    if (total === undefined) totals.push({ status, count });
    else total.count += count;
  }
}
