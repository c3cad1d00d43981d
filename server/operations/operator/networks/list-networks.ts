// network list: lists all networks of the hub, each with its owner and counts.
import * as v from 'valibot';
import { timestamp, timestampOrNull } from '../../../domain/time/time.ts';
import * as networks from '../../../store/networks.ts';
import { numbered, readPage } from '../../page.ts';
import { listPage, operatorOperation } from '../operator-operation.ts';

export type NetworkLine = ReturnType<typeof networkLine>;

export const listNetworks = operatorOperation({
  name: 'network list',
  input: v.object(listPage),
  run: (hub, request) =>
    hub.store.read(async (reader) => {
      const scope = { networks: [], cursors: numbered(hub, 'all_networks') };
      const { items, ...page } = await readPage(scope, request, (asked) => networks.listAll(reader, asked));
      return { ok: true, networks: items.map(networkLine), ...page };
    }),
});

export function networkLine(network: networks.NetworkOverview) {
  return {
    network_id: network.network_id,
    network_name: network.network_name,
    owner: network.owner,
    description: network.description,
    members: network.members,
    max_members: network.max_members,
    sessions: network.sessions,
    tasks: network.tasks,
    created_at: timestamp(network.created_at),
    trial_ends_at: timestampOrNull(network.trial_ends_at),
  };
}
