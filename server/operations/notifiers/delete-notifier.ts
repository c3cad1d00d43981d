// Deletes a notifier, with its pending deliveries and its log.
import * as v from 'valibot';
import * as notifiers from '../../store/notifiers/notifiers.ts';
import { operation } from '../operation.ts';
import { audit } from '../records/audit.ts';
import { notifierId } from './notifier-fields.ts';
import { getOwnNotifier } from './own-notifier.ts';

export const deleteNotifier = operation({
  name: 'delete_notifier',
  summary: 'Delete a notifier.',
  access: 'account',
  input: v.object({ notifier_id: notifierId }),
  run: (hub, caller, { notifier_id }, { store }) =>
    store.write(async (tx) => {
      const { notifier_seq, network_id } = await getOwnNotifier(tx, caller, notifier_id);
      await notifiers.remove(tx, notifier_seq);
      tx.afterCommit(hub.notifiers.forget);
      await audit(tx, caller, { action: 'notifier.delete', target: ['notifier', notifier_id], network_id });
      return { ok: true, notifier_id };
    }),
});
