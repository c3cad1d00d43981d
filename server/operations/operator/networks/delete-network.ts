// network delete: deletes a network with everything in it; with --force even while agents are online.
import * as v from 'valibot';
import { networkHasActiveSessions } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import * as sessions from '../../../store/sessions.ts';
import { endNetwork } from '../../networks/end-network.ts';
import { namedNetwork } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const deleteNetwork = operatorOperation({
  name: 'network delete',
  input: v.object({ network: fields.name, force: v.optional(v.boolean(), false) }),
  run: (hub, { network: name, force }) =>
    hub.store.write(async (tx) => {
      const { network_id, network_name } = await namedNetwork(tx, name);
      const active = await sessions.countOnline(tx, network_id);
      if (active > 0 && !force) throw networkHasActiveSessions(active);
      await endNetwork(hub, tx, network_id);
      await auditOperator(tx, {
        action: 'network.delete',
        target: ['network', network_id],
        network_id,
        detail: network_name,
      });
      return { ok: true, network_id, network_name };
    }),
});
