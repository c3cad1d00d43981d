// network rename: changes the name of a network. Tokens and addresses keep working, since they hold its id.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { MAX_NETWORK_NAME } from '../../../domain/limits.ts';
import * as networks from '../../../store/networks.ts';
import { namedNetwork } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const renameNetwork = operatorOperation({
  name: 'network rename',
  input: v.object({ network: fields.name, name: fields.text(MAX_NETWORK_NAME, 1) }),
  run: (hub, { network: from, name }) =>
    hub.store.write(async (tx) => {
      const network = await namedNetwork(tx, from);
      const { network_id, network_name: before } = network;
      if (before !== name) {
        await networks.update(tx, { ...network, network_name: name });
        await auditOperator(tx, {
          action: 'network.update',
          target: ['network', network_id],
          network_id,
          detail: `network_name ${before} → ${name}`,
        });
      }
      return { ok: true, network_id, network_name: name, previous_name: before, changed: before !== name };
    }),
});
