// network invite: creates an invite to a network, on behalf of its owner. The code is returned once and never stored.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { inviteOptions, issueInvite } from '../../networks/issue-invite.ts';
import { namedNetwork } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const createInvite = operatorOperation({
  name: 'network invite',
  input: v.object({ network: fields.name, ...inviteOptions }),
  run: (hub, { network: name, ...options }) =>
    hub.store.write(async (tx) => {
      const { network_id, network_name } = await namedNetwork(tx, name);
      const { invite, action } = await issueInvite(hub, tx, network_id, options);
      await auditOperator(tx, action);
      return { ok: true, ...invite, network_id, network_name, url: hub.settings.public_url ?? hub.url ?? null };
    }),
});
