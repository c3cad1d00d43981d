// network create: creates a network for a user, who then owns it.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { MAX_NETWORK_NAME, MAX_REASON } from '../../../domain/limits.ts';
import { createNetworkOf } from '../../networks/new-network.ts';
import { namedUser } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const createNetwork = operatorOperation({
  name: 'network create',
  input: v.object({
    name: fields.text(MAX_NETWORK_NAME, 1),
    owner: fields.name,
    description: v.optional(fields.text(MAX_REASON), ''),
  }),
  run: (hub, { name, owner, description }) =>
    hub.store.write(async (tx) => {
      const { user_id, username } = await namedUser(tx, owner);
      const network_id = await createNetworkOf(hub, tx, { network_name: name, owner_id: user_id, description });
      await auditOperator(tx, {
        action: 'network.create',
        target: ['network', network_id],
        network_id,
        detail: `${name}, of ${username}`,
      });
      return { ok: true, network_id, network_name: name, owner: username };
    }),
});
