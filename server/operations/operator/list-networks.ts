// network list: every network of the hub, with its owner and what is in it.
import * as v from 'valibot';
import { timestamp, timestampOrNull } from '../../domain/time.ts';
import * as networks from '../../store/networks.ts';
import { operatorOperation } from './operator-operation.ts';

export type NetworkLine = ReturnType<typeof networkLine>;

export const listNetworks = operatorOperation({
  name: 'network list',
  input: v.object({}),
  run: async (hub) => {
    const found = await hub.store.read(networks.listAll);
    return { ok: true, networks: found.map(networkLine), count: found.length };
  },
});

function networkLine(network: networks.NetworkOverview) {
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
