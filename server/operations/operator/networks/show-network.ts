// network show: shows one network, with its counts and limits.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { MAX_REST_LIMIT } from '../../../domain/limits.ts';
import * as invites from '../../../store/invites.ts';
import * as networks from '../../../store/networks.ts';
import * as sessions from '../../../store/sessions.ts';
import { namedNetwork } from '../named.ts';
import { operatorOperation } from '../operator-operation.ts';
import { networkLine } from './list-networks.ts';

export const showNetwork = operatorOperation({
  name: 'network show',
  input: v.object({ network: fields.name }),
  run: (hub, { network: name }) =>
    hub.store.read(async (reader) => {
      const { network_id } = await namedNetwork(reader, name);
      return {
        ok: true,
        network: networkLine(await networks.getOverview(reader, network_id)),
        online: await sessions.countOnline(reader, network_id),
        open_invites: await invites.countOpen(reader, network_id, hub.settings.max_invites || MAX_REST_LIMIT),
      };
    }),
});
