// Lists the invites of a network, without their codes.
import * as v from 'valibot';
import { inviteRecord } from '../../domain/accounts/invite.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_LONG_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import * as invites from '../../store/invites.ts';
import { operation } from '../operation.ts';
import { numbered, readPage } from '../page.ts';
import { getAsOwner } from './membership.ts';

export const listInvites = operation({
  name: 'list_invites',
  summary: 'List the invites of a network, without their codes.',
  access: 'account',
  input: v.object({
    network_id: fields.name,
    cursor: fields.cursor,
    limit: fields.limit(DEFAULT_LONG_LIMIT, MAX_REST_LIMIT),
  }),
  run: (hub, caller, request, { store }) =>
    store.read(async (reader) => {
      await getAsOwner(reader, caller, request.network_id);
      const scope = { networks: [request.network_id], cursors: numbered(hub, 'invites') };
      const { items, ...page } = await readPage(scope, request, (asked) => invites.list(reader, asked));
      return { ok: true, invites: items.map(inviteRecord), ...page };
    }),
});
