// Creates a network owned by the caller.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_NETWORK_NAME, MAX_REASON } from '../../domain/limits.ts';
import { operation } from '../operation.ts';
import { assertMayJoinAnother, assertMayOwnNetwork } from '../quotas.ts';
import { audit } from '../records/audit.ts';
import { createNetworkOf } from './new-network.ts';

export const createNetwork = operation({
  name: 'create_network',
  summary: 'Create a network that you own.',
  access: 'account',
  input: v.object({ name: fields.text(MAX_NETWORK_NAME, 1), description: v.optional(fields.text(MAX_REASON), '') }),
  run: (hub, caller, { name, description }, { store }) =>
    store.write(async (tx) => {
      await assertMayOwnNetwork(hub, tx, caller.user_id);
      await assertMayJoinAnother(hub, tx, caller.user_id);
      const networkId = await createNetworkOf(hub, tx, { network_name: name, owner_id: caller.user_id, description });
      await audit(tx, caller, {
        action: 'network.create',
        target: ['network', networkId],
        network_id: networkId,
        detail: name,
      });
      return { ok: true, network_id: networkId, network_name: name };
    }),
});
