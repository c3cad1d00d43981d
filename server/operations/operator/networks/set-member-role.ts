// network set-role: changes the role of a member who is not the owner.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { INVITE_ROLES } from '../../../domain/network.ts';
import { giveRole } from '../../networks/change-member.ts';
import { namedNetwork, namedUser } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const setMemberRole = operatorOperation({
  name: 'network set-role',
  input: v.object({ network: fields.name, user: fields.name, role: fields.oneOf(INVITE_ROLES) }),
  run: (hub, { network: name, user, role }) =>
    hub.store.write(async (tx) => {
      const { network_id, network_name } = await namedNetwork(tx, name);
      const { user_id, username } = await namedUser(tx, user);
      await auditOperator(tx, await giveRole(hub, tx, { network_id, user_id, role }));
      return { ok: true, network_id, network_name, username, role };
    }),
});
