// What an invite code opens, for whoever holds it: said before joining, and used up by nothing.
import * as v from 'valibot';
import { inviteExpired, inviteInvalid, inviteUsedUp } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { inviteHash, isInviteExpired } from '../../domain/invite.ts';
import { timestamp } from '../../domain/time.ts';
import * as invites from '../../store/invites.ts';
import * as networks from '../../store/networks.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';

export const previewInvite = operation({
  name: 'preview_invite',
  summary: 'Show which network an invite code opens, and in which role.',
  access: 'public',
  input: v.object({ invite_code: fields.name }),
  run: (hub, _visitor, { invite_code }) =>
    hub.store.read(async (reader) => {
      const invite = await invites.findByHash(reader, inviteHash(invite_code));
      const network = invite && (await networks.find(reader, invite.network_id));
      if (invite === undefined || network === undefined) throw inviteInvalid();
      if (isInviteExpired(invite, reader.now)) throw inviteExpired();
      if (invite.uses >= invite.max_uses) throw inviteUsedUp();
      const owner = await users.find(reader, network.owner_id);
      return {
        ok: true, network_name: network.network_name, role: invite.role, owner_name: owner?.display_name ?? '', expires_at: timestamp(invite.expires_at),
      };
    }),
});
