// Creates an invite. Its code is returned once and never stored.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { operation } from '../operation.ts';
import { audit } from '../records/audit.ts';
import { inviteOptions, issueInvite } from './issue-invite.ts';
import { getAsOwner } from './membership.ts';

export const createInvite = operation({
  name: 'create_invite',
  summary: 'Create an invite code.',
  access: 'account',
  input: v.object({ network_id: fields.name, ...inviteOptions }),
  run: (hub, caller, { network_id, ...options }, { store }) =>
    store.write(async (tx) => {
      await getAsOwner(tx, caller, network_id);
      const { invite, action } = await issueInvite(hub, tx, network_id, options);
      await audit(tx, caller, action);
      return { ok: true, ...invite };
    }),
});
