// cluster list: shows the hubs that share a PostgreSQL database.
import type { ListedHub } from '../../operations/operator/cluster/list-hubs.ts';
import type { DatabaseOptions } from '../data/as-operator.ts';
import { age, type OutputOptions, sayAnswer, table } from '../output.ts';
import { openClusterAccess } from './cluster-access.ts';
import { shortId } from './find-hub.ts';

export const ON_FILE = 'this hub stores its data in a file, which no other hub can share: it is not part of a cluster';

export async function clusterList(options: DatabaseOptions & OutputOptions): Promise<void> {
  sayAnswer(options, await openClusterAccess(options).list(), ({ database, hubs }) => {
    if (database === 'file') return ON_FILE;
    return hubs.length === 0 ? 'no hub runs on this database' : table(HEADINGS, hubs.map(rowOf));
  });
}

const HEADINGS = ['HUB', 'ID', 'VERSION', 'STATE', 'SWEEPS', 'STREAMS', 'BEHIND', 'STARTED', 'SEEN'];

function rowOf(hub: ListedHub) {
  return [
    hub.hub_name,
    shortId(hub),
    hub.version,
    hub.state,
    hub.runs_sweeps ? 'yes' : 'no',
    hub.streams,
    `${hub.events_behind} events`,
    `${age(hub.started_at)} ago`,
    `${age(hub.last_seen_at)} ago`,
  ];
}
