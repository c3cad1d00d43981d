// network invites: lists the invites of a network, without their codes.
import * as v from 'valibot';
import { inviteRecord } from '../../../domain/accounts/invite.ts';
import * as fields from '../../../domain/fields.ts';
import * as invites from '../../../store/invites.ts';
import { numbered, readPage } from '../../page.ts';
import { namedNetwork } from '../named.ts';
import { listPage, operatorOperation } from '../operator-operation.ts';

export const listInvites = operatorOperation({
  name: 'network invites',
  input: v.object({ network: fields.name, ...listPage }),
  run: (hub, { network: name, ...request }) =>
    hub.store.read(async (reader) => {
      const { network_id } = await namedNetwork(reader, name);
      const scope = { networks: [network_id], cursors: numbered(hub, 'invites') };
      const { items, ...page } = await readPage(scope, request, (asked) => invites.list(reader, asked));
      return { ok: true, network_id, invites: items.map(inviteRecord), ...page };
    }),
});
