// cluster list: returns the hubs that share the database of this one.
import * as v from 'valibot';
import { unavailable } from '../../../domain/errors.ts';
import { timestamp } from '../../../domain/time/time.ts';
import type { ClusterHub } from '../../../store/engine/cluster.ts';
import { operatorOperation } from '../operator-operation.ts';

export type ListedCluster = {
  ok: boolean;
  /** A file belongs to one hub, and has no cluster. */
  database: 'file' | 'postgresql';
  /** The hub that returned this; null if it was read from the database. */
  listed_by: string | null;
  hubs: readonly ListedHub[];
};

export type ListedHub = ReturnType<typeof hubRecord>;

export const FILE: ListedCluster = { ok: true, database: 'file', listed_by: null, hubs: [] };

export const listHubs = operatorOperation({
  name: 'cluster list',
  input: v.object({}),
  run: async ({ store: { cluster } }): Promise<ListedCluster> => {
    if (cluster === undefined) return FILE;
    const hubs = cluster.hubs();
    if (hubs.length === 0) throw unavailable('the hub cannot reach its database; try again in a few seconds');
    return clusterRecord(hubs, cluster.hubId);
  },
});

export function clusterRecord(hubs: readonly ClusterHub[], listedBy: string | null): ListedCluster {
  return { ok: true, database: 'postgresql', listed_by: listedBy, hubs: hubs.map(hubRecord) };
}

function hubRecord(hub: ClusterHub) {
  const { hub_id, hub_name, version, streams, events_behind } = hub;
  return {
    hub_id,
    hub_name,
    version,
    state: stateOf(hub),
    runs_sweeps: hub.is_leader,
    streams,
    events_behind,
    started_at: timestamp(hub.started_at),
    last_seen_at: timestamp(hub.seen_at),
  };
}

function stateOf({ is_alive, is_draining }: ClusterHub): 'serving' | 'draining' | 'lost' {
  if (!is_alive) return 'lost';
  return is_draining ? 'draining' : 'serving';
}
