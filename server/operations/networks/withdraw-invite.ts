// Withdraws an invite. Members who joined with it stay.
import * as v from 'valibot';
import { notFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as invites from '../../store/invites.ts';
import { operation } from '../operation.ts';
import { type Action, audit } from '../records/audit.ts';
import { getAsOwner } from './membership.ts';

export const withdrawInvite = operation({
  name: 'withdraw_invite',
  summary: 'Withdraw an invite.',
  access: 'account',
  revokesAccess: true,
  input: v.object({ network_id: fields.name, invite_id: fields.name }),
  run: (hub, caller, { network_id, invite_id }, { store }) =>
    store.write(async (tx) => {
      await getAsOwner(tx, caller, network_id);
      await audit(tx, caller, await endInvite(hub, tx, { network_id, invite_id }));
      return { ok: true, invite_id };
    }),
});

/** Returns the entry for the audit log. */
export async function endInvite(
  hub: Hub,
  tx: Transaction,
  { network_id, invite_id }: { network_id: string; invite_id: string },
): Promise<Action> {
  if (!(await invites.remove(tx, network_id, invite_id))) throw notFound('this network has no such invite');
  tx.afterCommit(() => hub.changes.announce({ what: 'invites', network_id }));
  return { action: 'invite.withdraw', target: ['invite', invite_id], network_id };
}
