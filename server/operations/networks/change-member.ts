// Changes or ends somebody's membership; what he has open under the old right ends with the commit.
import * as v from 'valibot';
import { noSuchMember, ownerOnly, ownerStays } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { INVITE_ROLES } from '../../domain/invite.ts';
import type { NetworkRole } from '../../domain/network.ts';
import type { Reader } from '../../store/database.ts';
import * as members from '../../store/members.ts';
import { operation } from '../operation.ts';
import { audit } from '../records/audit.ts';
import { getAsMember, getAsOwner } from './membership.ts';

export const changeMember = operation({
  name: 'change_member',
  summary: "Change a member's role.",
  access: 'account',
  input: v.object({ network_id: fields.name, user_id: fields.name, role: fields.oneOf(INVITE_ROLES) }),
  run: (hub, caller, { network_id, user_id, role }) =>
    hub.store.write(async (tx) => {
      await getAsOwner(tx, caller, network_id);
      await getRoleBelowOwner(tx, network_id, user_id);
      await members.markRole(tx, network_id, user_id, role);
      await audit(tx, caller, { action: 'member.change', target: ['user', user_id], network_id, detail: `role ${role}` });
      tx.afterCommit(() => hub.revocations.announce({ user_id, network_id }));
      return { ok: true, user_id, role };
    }),
});

export const removeMember = operation({
  name: 'remove_member',
  summary: 'Remove a member, or leave a network.',
  access: 'account',
  input: v.object({ network_id: fields.name, user_id: fields.name }),
  run: (hub, caller, { network_id, user_id }) =>
    hub.store.write(async (tx) => {
      const { role } = await getAsMember(tx, caller, network_id);
      if (role !== 'owner' && user_id !== caller.user_id) throw ownerOnly();
      await getRoleBelowOwner(tx, network_id, user_id);
      await members.remove(tx, network_id, user_id);
      await audit(tx, caller, { action: 'member.remove', target: ['user', user_id], network_id });
      tx.afterCommit(() => hub.revocations.announce({ user_id, network_id }));
      return { ok: true, user_id };
    }),
});

async function getRoleBelowOwner(reader: Reader, networkId: string, userId: string): Promise<NetworkRole> {
  const role = await members.findRole(reader, networkId, userId);
  if (role === undefined) throw noSuchMember();
  if (role === 'owner') throw ownerStays();
  return role;
}
