// Shows what an invite code grants, before joining and without consuming a use.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { timestamp } from '../../domain/time/time.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';
import { getOpenInvite } from './open-invite.ts';

export const previewInvite = operation({
  name: 'preview_invite',
  summary: 'Show the network and role that an invite code grants.',
  access: 'public',
  input: v.object({ invite_code: fields.name }),
  run: (_hub, _visitor, { invite_code }, { store }) =>
    store.read(async (reader) => {
      const { invite, network } = await getOpenInvite(reader, invite_code);
      const owner = await users.find(reader, network.owner_id);
      return {
        ok: true,
        network_name: network.network_name,
        role: invite.role,
        owner_name: owner?.display_name ?? '',
        expires_at: timestamp(invite.expires_at),
      };
    }),
});
