// Creates an invite. Its code is returned once and never stored.
import * as v from 'valibot';
import { inviteHash, newInviteCode } from '../../domain/accounts/invite.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_INVITE_DAYS, MAX_INVITE_DAYS, MAX_INVITE_USES } from '../../domain/limits.ts';
import { INVITE_ROLES } from '../../domain/network.ts';
import { DAY_MS, timestamp } from '../../domain/time/time.ts';
import * as invites from '../../store/invites.ts';
import { operation } from '../operation.ts';
import { makeRoomForInvite } from '../quotas.ts';
import { audit } from '../records/audit.ts';
import { getAsOwner } from './membership.ts';

export const createInvite = operation({
  name: 'create_invite',
  summary: 'Create an invite code.',
  access: 'account',
  input: v.object({
    network_id: fields.name,
    role: v.optional(fields.oneOf(INVITE_ROLES), 'member'),
    max_uses: v.optional(fields.wholeNumberFrom(1, MAX_INVITE_USES), 1),
    expires_in_days: v.optional(fields.numberAboveZero(MAX_INVITE_DAYS), DEFAULT_INVITE_DAYS),
  }),
  run: (hub, caller, { network_id, role, max_uses, expires_in_days }, { store }) =>
    store.write(async (tx) => {
      await getAsOwner(tx, caller, network_id);
      await makeRoomForInvite(hub, tx, network_id);
      const code = newInviteCode(hub.ids);
      const invite_id = hub.ids.next('ivt');
      const expires_at = tx.now + Math.ceil(expires_in_days * DAY_MS);
      await invites.insert(tx, { invite_id, network_id, role, max_uses, expires_at, hash: inviteHash(code) });
      tx.afterCommit(() => hub.changes.announce({ what: 'invites', network_id }));
      await audit(tx, caller, {
        action: 'invite.create',
        target: ['invite', invite_id],
        network_id,
        detail: `${role}, ${max_uses} uses`,
      });
      return { ok: true, invite_code: code, invite_id, role, max_uses, expires_at: timestamp(expires_at) };
    }),
});
