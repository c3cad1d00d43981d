// Lists what a notifier has sent and will send, newest first.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import { deliveryRecord } from '../../domain/notifiers/notifier.ts';
import * as deliveries from '../../store/notifiers/deliveries.ts';
import { operation } from '../operation.ts';
import { numbered, readPage } from '../page.ts';
import { notifierId } from './notifier-fields.ts';
import { getOwnNotifier } from './own-notifier.ts';

export const listDeliveries = operation({
  name: 'list_deliveries',
  summary: 'List the deliveries of a notifier in the last 7 days.',
  access: 'account',
  input: v.object({
    notifier_id: notifierId,
    cursor: fields.cursor,
    limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT),
  }),
  run: (hub, caller, { notifier_id, ...request }, { store }) =>
    store.read(async (reader) => {
      const { notifier_seq } = await getOwnNotifier(reader, caller, notifier_id);
      const scope = { networks: [], cursors: numbered(hub, 'deliveries') };
      const { items, ...page } = await readPage(scope, request, (asked) =>
        deliveries.list(reader, notifier_seq, asked),
      );
      return { ok: true, deliveries: items.map(deliveryRecord), ...page };
    }),
});
