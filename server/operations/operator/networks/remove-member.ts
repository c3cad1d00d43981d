// network remove-member: removes a member who is not the owner, with their tokens for the network.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { REVOKES_ACCESS } from '../../../store/engine/database.ts';
import { endMembership } from '../../networks/remove-member.ts';
import { namedNetwork, namedUser } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const removeMember = operatorOperation({
  name: 'network remove-member',
  input: v.object({ network: fields.name, user: fields.name }),
  run: (hub, { network: name, user }) =>
    hub.store.write(async (tx) => {
      const { network_id, network_name } = await namedNetwork(tx, name);
      const { user_id, username } = await namedUser(tx, user);
      await auditOperator(tx, await endMembership(hub, tx, { network_id, user_id }));
      return { ok: true, network_id, network_name, username };
    }, REVOKES_ACCESS),
});
