// Changes a notifier. Its URL remains unless a new one is given; its format and secret never change.
import * as v from 'valibot';
import { notifierRecord } from '../../domain/notifiers/notifier.ts';
import * as notifiers from '../../store/notifiers/notifiers.ts';
import { operation } from '../operation.ts';
import { audit } from '../records/audit.ts';
import { assertUsable, changed, notifierId, SETTINGS, URL_FIELD } from './notifier-fields.ts';
import { getOwnNotifier } from './own-notifier.ts';
import { startReaders } from './readers.ts';

export const updateNotifier = operation({
  name: 'update_notifier',
  summary: 'Change a notifier.',
  access: 'account',
  input: v.object({ notifier_id: notifierId, url: v.optional(URL_FIELD), ...SETTINGS }),
  run: async (hub, caller, { notifier_id, url, ...given }, { store }) => {
    const { format } = await store.read((reader) => getOwnNotifier(reader, caller, notifier_id));
    if (url !== undefined) await assertUsable(hub, caller, { format, url });
    return store.write(async (tx) => {
      const before = await getOwnNotifier(tx, caller, notifier_id);
      const after = { ...changed(before, given), url: url ?? before.url };
      await notifiers.update(tx, after);
      if (after.enabled) await startReaders(tx, after);
      tx.afterCommit(hub.notifiers.forget);
      await audit(tx, caller, {
        action: 'notifier.update',
        target: ['notifier', notifier_id],
        network_id: before.network_id,
        detail: Object.keys({ ...(url !== undefined && { url }), ...given }).join(', ') || 'nothing',
      });
      return { ok: true, notifier: notifierRecord(after) };
    });
  },
});
