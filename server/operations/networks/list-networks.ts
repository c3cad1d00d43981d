// Lists the networks of the signed-in user, in the order they joined them.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_LONG_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import { networkRecord } from '../../domain/network.ts';
import * as networks from '../../store/networks.ts';
import { operation } from '../operation.ts';
import { numbered, readPage } from '../page.ts';

export const listNetworks = operation({
  name: 'list_networks',
  summary: 'List the networks you belong to.',
  access: 'account',
  input: v.object({ cursor: fields.cursor, limit: fields.limit(DEFAULT_LONG_LIMIT, MAX_REST_LIMIT) }),
  run: (hub, caller, request, { store }) =>
    store.read(async (reader) => {
      const scope = { networks: [], cursors: numbered(hub, 'networks') };
      const { items, ...page } = await readPage(scope, request, (asked) =>
        networks.listOfUser(reader, caller.user_id, asked),
      );
      return { ok: true, networks: items.map((network) => networkRecord(network, network.member_role)), ...page };
    }),
});
