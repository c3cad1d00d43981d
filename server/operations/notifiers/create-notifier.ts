// Creates a notifier for the caller, or for a network that they own. The secret of a webhook is returned once.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { newSigningSecret, notifierRecord } from '../../domain/notifiers/notifier.ts';
import * as notifiers from '../../store/notifiers/notifiers.ts';
import { getAsOwner } from '../networks/membership.ts';
import { operation } from '../operation.ts';
import { assertMayNotify } from '../quotas.ts';
import { audit } from '../records/audit.ts';
import { assertUsable, changed, FORMAT_FIELD, NEW_NOTIFIER, SETTINGS, URL_FIELD } from './notifier-fields.ts';
import { startReaders } from './readers.ts';

export const createNotifier = operation({
  name: 'create_notifier',
  summary: 'Create a notifier; its URL and signing secret are not shown again.',
  access: 'account',
  input: v.object({
    format: FORMAT_FIELD,
    url: URL_FIELD,
    ...SETTINGS,
    network_id: v.optional(
      fields.described(
        fields.name,
        'a network that you own; without it, the notifier reports what needs you in all your networks',
      ),
    ),
  }),
  run: async (hub, caller, { network_id, format, url, ...given }, { store }) => {
    const settings = { ...changed(NEW_NOTIFIER, given), format };
    await assertUsable(hub, caller, { format, url });
    return store.write(async (tx) => {
      if (network_id !== undefined) await getAsOwner(tx, caller, network_id);
      await assertMayNotify(hub, tx, caller.user_id);
      const notifier_id = hub.ids.next('ntf');
      const secret = format === 'webhook' ? newSigningSecret(hub.ids) : null;
      const { user_id } = caller;
      await notifiers.insert(tx, { ...settings, notifier_id, user_id, network_id: network_id ?? null, url, secret });
      await startReaders(tx, settings);
      tx.afterCommit(hub.notifiers.forget);
      await audit(tx, caller, {
        action: 'notifier.create',
        target: ['notifier', notifier_id],
        network_id: network_id ?? null,
        detail: `${format}, ${new URL(url).host}`,
      });
      const stored = await notifiers.find(tx, notifier_id);
      return {
        ok: true,
        ...(stored !== undefined && { notifier: notifierRecord(stored) }),
        ...(secret !== null && { secret }),
      };
    });
  },
});
