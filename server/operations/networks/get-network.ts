// Returns a network with its statistics.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { networkRecord } from '../../domain/network.ts';
import * as members from '../../store/members.ts';
import * as nodes from '../../store/nodes.ts';
import { readCurrent } from '../expiry.ts';
import { operation } from '../operation.ts';
import { countAll } from '../records/get-stats.ts';
import { getForReading } from './membership.ts';

export const getNetwork = operation({
  name: 'get_network',
  summary: 'Show a network and its statistics.',
  access: 'account',
  input: v.object({ network_id: fields.name }),
  run: (hub, caller, { network_id: networkId }, { store }) =>
    readCurrent(hub, store, async (reader) => {
      const { network, role } = await getForReading(reader, caller, networkId);
      const memberCount = await members.count(reader, networkId);
      const stats = { ...(await countAll(reader, [networkId])), nodes: await nodes.count(reader, networkId) };
      return {
        ok: true,
        network: { ...networkRecord(network, role), description: network.description, member_count: memberCount },
        stats,
      };
    }),
});
