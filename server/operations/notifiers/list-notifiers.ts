// Lists the notifiers of the signed-in user, or of a network that they own, without URLs and secrets.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import { notifierRecord } from '../../domain/notifiers/notifier.ts';
import * as notifiers from '../../store/notifiers/notifiers.ts';
import { getAsOwner } from '../networks/membership.ts';
import { operation } from '../operation.ts';
import { numbered, readPage } from '../page.ts';

export const listNotifiers = operation({
  name: 'list_notifiers',
  summary: 'List your notifiers, or those of a network that you own, without URLs and secrets.',
  access: 'account',
  input: v.object({
    network_id: v.optional(fields.described(fields.name, 'one that you own; default: your own notifiers')),
    cursor: fields.cursor,
    limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT),
  }),
  run: (hub, caller, { network_id, ...request }, { store }) =>
    store.read(async (reader) => {
      if (network_id !== undefined) await getAsOwner(reader, caller, network_id);
      const scope = { networks: [], cursors: numbered(hub, 'notifiers') };
      const { user_id } = caller;
      const { items, ...page } = await readPage(scope, request, (asked) =>
        notifiers.list(reader, { user_id, network_id }, asked),
      );
      return { ok: true, notifiers: items.map(({ seq: _, ...notifier }) => notifierRecord(notifier)), ...page };
    }),
});
