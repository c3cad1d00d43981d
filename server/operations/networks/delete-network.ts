// Deletes a network with everything in it, once all its sessions are offline.
import * as v from 'valibot';
import { networkHasActiveSessions } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import * as sessions from '../../store/sessions.ts';
import { operation } from '../operation.ts';
import { audit } from '../records/audit.ts';
import { endNetwork } from './end-network.ts';
import { getAsOwner } from './membership.ts';

export const deleteNetwork = operation({
  name: 'delete_network',
  summary: 'Delete a network with everything in it; every session must be offline.',
  access: 'account',
  input: v.object({ network_id: fields.name }),
  run: (hub, caller, { network_id: networkId }, { store }) =>
    store.write(async (tx) => {
      const network = await getAsOwner(tx, caller, networkId);
      const active = await sessions.countOnline(tx, networkId);
      if (active > 0) throw networkHasActiveSessions(active);
      await endNetwork(hub, tx, networkId);
      await audit(tx, caller, {
        action: 'network.delete',
        target: ['network', networkId],
        network_id: networkId,
        detail: network.network_name,
      });
      return { ok: true, network_id: networkId };
    }),
});
