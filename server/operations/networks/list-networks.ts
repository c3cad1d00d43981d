// The networks of the signed-in user.
import * as v from 'valibot';
import { networkRecord } from '../../domain/network.ts';
import * as networks from '../../store/networks.ts';
import { operation } from '../operation.ts';

export const listNetworks = operation({
  name: 'list_networks',
  summary: 'List the networks you belong to.',
  access: 'account',
  input: v.object({}),
  run: async (hub, caller) => {
    const found = await hub.store.read((reader) => networks.listOfUser(reader, caller.user_id));
    return { ok: true, networks: found.map((network) => networkRecord(network, network.member_role)), count: found.length };
  },
});
