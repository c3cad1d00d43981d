// hub address: returns the URL of the running hub on this machine, its process, whether its database file is still
// there, and its cluster, for commands that know only its data directory.
import * as v from 'valibot';
import type { Hub } from '../../hub.ts';
import { operatorOperation } from './operator-operation.ts';

export type ShownAddress = Awaited<ReturnType<typeof showAddress.run>>;

export const showAddress = operatorOperation({
  name: 'hub address',
  input: v.object({}),
  run: async (hub) => ({
    ok: true,
    url: hub.url ?? null,
    pid: process.pid,
    is_gone: hub.store.isGone(),
    cluster: clusterRecord(hub.store),
  }),
});

function clusterRecord({ cluster }: Hub['store']) {
  if (cluster === undefined) return null;
  const alive = cluster.hubs().filter(({ is_alive }) => is_alive);
  return { hubs: alive.length, leader: alive.find(({ is_leader }) => is_leader)?.hub_name ?? null };
}
