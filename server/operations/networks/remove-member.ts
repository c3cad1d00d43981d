// Removes a member, or lets one leave. Their streams and waits end with the commit.
import * as v from 'valibot';
import { ownerOnly } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as members from '../../store/members.ts';
import { operation } from '../operation.ts';
import { type Action, audit } from '../records/audit.ts';
import { assertBelowOwner, getAsMember } from './membership.ts';

export const removeMember = operation({
  name: 'remove_member',
  summary: 'Remove a member, or leave a network.',
  access: 'account',
  revokesAccess: true,
  input: v.object({ network_id: fields.name, user_id: fields.name }),
  run: (hub, caller, { network_id, user_id }, { store }) =>
    store.write(async (tx) => {
      const { role } = await getAsMember(tx, caller, network_id);
      if (role !== 'owner' && user_id !== caller.user_id) throw ownerOnly();
      await audit(tx, caller, await endMembership(hub, tx, { network_id, user_id }));
      return { ok: true, user_id };
    }),
});

/** Returns the entry for the audit log. */
export async function endMembership(
  hub: Hub,
  tx: Transaction,
  { network_id, user_id }: { network_id: string; user_id: string },
): Promise<Action> {
  await assertBelowOwner(tx, network_id, user_id);
  await members.remove(tx, network_id, user_id);
  tx.afterCommit(() => {
    hub.revocations.announce({ user_id, network_id });
    hub.changes.announce({ what: 'members', network_id }, { what: 'tokens', user_id });
  });
  return { action: 'member.remove', target: ['user', user_id], network_id };
}
