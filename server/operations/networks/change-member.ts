// Changes a member's role. Streams and waits opened under the old role end with the commit.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { INVITE_ROLES, type InviteRole } from '../../domain/network.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as members from '../../store/members.ts';
import { operation } from '../operation.ts';
import { type Action, audit } from '../records/audit.ts';
import { assertBelowOwner, getAsOwner } from './membership.ts';

export const changeMember = operation({
  name: 'change_member',
  summary: "Change a member's role.",
  access: 'account',
  input: v.object({ network_id: fields.name, user_id: fields.name, role: fields.oneOf(INVITE_ROLES) }),
  run: (hub, caller, { network_id, user_id, role }, { store }) =>
    store.write(async (tx) => {
      await getAsOwner(tx, caller, network_id);
      await audit(tx, caller, await giveRole(hub, tx, { network_id, user_id, role }));
      return { ok: true, user_id, role };
    }),
});

/** Returns the entry for the audit log. */
export async function giveRole(
  hub: Hub,
  tx: Transaction,
  { network_id, user_id, role }: { network_id: string; user_id: string; role: InviteRole },
): Promise<Action> {
  await assertBelowOwner(tx, network_id, user_id);
  // Their streams and waits end with the rights that they were opened with.
  if ((await members.findRole(tx, network_id, user_id)) !== role) {
    await members.markRole(tx, network_id, user_id, role);
    tx.afterCommit(() => {
      hub.revocations.announce({ user_id, network_id });
      hub.changes.announce({ what: 'members', network_id });
    });
  }
  return { action: 'member.change', target: ['user', user_id], network_id, detail: `role ${role}` };
}
