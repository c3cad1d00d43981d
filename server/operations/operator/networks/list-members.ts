// network members: lists the members of a network with their roles.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import * as members from '../../../store/members.ts';
import { memberRecord } from '../../networks/list-members.ts';
import { numbered, readPage } from '../../page.ts';
import { namedNetwork } from '../named.ts';
import { listPage, operatorOperation } from '../operator-operation.ts';

export const listMembers = operatorOperation({
  name: 'network members',
  input: v.object({ network: fields.name, ...listPage }),
  run: (hub, { network: name, ...request }) =>
    hub.store.read(async (reader) => {
      const { network_id } = await namedNetwork(reader, name);
      const scope = { networks: [network_id], cursors: numbered(hub, 'members') };
      const { items, ...page } = await readPage(scope, request, (asked) => members.list(reader, asked));
      return { ok: true, network_id, members: items.map(memberRecord), ...page };
    }),
});
