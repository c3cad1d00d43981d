// network license: removes the trial of a network, or moves its end.
import * as v from 'valibot';
import { invalidInput } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import { beginningOf, DAY_MS, dayOf, timestampOrNull } from '../../../domain/time/time.ts';
import * as networks from '../../../store/networks.ts';
import { namedNetwork } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const licenseNetwork = operatorOperation({
  name: 'network license',
  /** `until` is the first day on which the trial has ended. */
  input: v.object({ network: fields.name, until: fields.dateOrNever }),
  run: (hub, { network: name, until: date }) =>
    hub.store.write(async (tx) => {
      const { network_id, network_name } = await namedNetwork(tx, name);
      const endsAt = date === 'never' ? null : (beginningOf(date) ?? null);
      if (endsAt !== null && endsAt + DAY_MS <= tx.now)
        throw invalidInput(`until is ${date}, which is past; ${dayOf(tx.now)} ends the trial now`);
      await networks.markTrialEnd(tx, network_id, endsAt);
      await auditOperator(tx, {
        action: 'network.license',
        target: ['network', network_id],
        network_id,
        detail: `until ${timestampOrNull(endsAt) ?? 'never'}`,
      });
      return { ok: true, network_id, network_name, trial_ends_at: timestampOrNull(endsAt) };
    }),
});
