// Creates an invite and stores the hash of its code. The code itself is only in the result.
import * as v from 'valibot';
import { inviteHash, newInviteCode } from '../../domain/accounts/invite.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_INVITE_DAYS, MAX_INVITE_DAYS, MAX_INVITE_USES } from '../../domain/limits.ts';
import { INVITE_ROLES, type InviteRole } from '../../domain/network.ts';
import { DAY_MS, timestamp } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as invites from '../../store/invites.ts';
import { makeRoomForInvite } from '../quotas.ts';
import type { Action } from '../records/audit.ts';

export const inviteOptions = {
  role: v.optional(fields.oneOf(INVITE_ROLES), 'member'),
  max_uses: v.optional(fields.wholeNumberFrom(1, MAX_INVITE_USES), 1),
  expires_in_days: v.optional(fields.numberAboveZero(MAX_INVITE_DAYS), DEFAULT_INVITE_DAYS),
};

type InviteOptions = { role: InviteRole; max_uses: number; expires_in_days: number };

/** Returns the invite with its code, and the entry for the audit log. */
export async function issueInvite(
  hub: Hub,
  tx: Transaction,
  network_id: string,
  { role, max_uses, expires_in_days }: InviteOptions,
) {
  await makeRoomForInvite(hub, tx, network_id);
  const code = newInviteCode(hub.ids);
  const invite_id = hub.ids.next('ivt');
  const expires_at = tx.now + Math.ceil(expires_in_days * DAY_MS);
  await invites.insert(tx, { invite_id, network_id, role, max_uses, expires_at, hash: inviteHash(code) });
  tx.afterCommit(() => hub.changes.announce({ what: 'invites', network_id }));
  const action: Action = {
    action: 'invite.create',
    target: ['invite', invite_id],
    network_id,
    detail: `${role}, ${max_uses} uses`,
  };
  return { invite: { invite_code: code, invite_id, role, max_uses, expires_at: timestamp(expires_at) }, action };
}
