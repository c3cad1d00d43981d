// network withdraw-invite: withdraws an invite. Members who joined with it stay.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { REVOKES_ACCESS } from '../../../store/engine/database.ts';
import { endInvite } from '../../networks/withdraw-invite.ts';
import { namedNetwork } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const withdrawInvite = operatorOperation({
  name: 'network withdraw-invite',
  input: v.object({ network: fields.name, invite_id: fields.name }),
  run: (hub, { network: name, invite_id }) =>
    hub.store.write(async (tx) => {
      const { network_id, network_name } = await namedNetwork(tx, name);
      await auditOperator(tx, await endInvite(hub, tx, { network_id, invite_id }));
      return { ok: true, invite_id, network_id, network_name };
    }, REVOKES_ACCESS),
});
