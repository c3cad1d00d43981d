// network delete: deletes a network with everything in it; with --force even while agents are online.
import * as v from 'valibot';
import { networkHasActiveSessions } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import type { Network } from '../../../domain/network.ts';
import type { Hub } from '../../../hub.ts';
import type { Transaction } from '../../../store/engine/transaction.ts';
import * as sessions from '../../../store/sessions.ts';
import { endNetwork } from '../../networks/end-network.ts';
import { namedNetwork } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const deleteNetwork = operatorOperation({
  name: 'network delete',
  input: v.object({ network: fields.name, force: v.optional(v.boolean(), false) }),
  run: (hub, { network: name, force }) =>
    hub.store.write(async (tx) => {
      const network = await namedNetwork(tx, name);
      await deleteIn(hub, tx, network, force);
      return { ok: true, network_id: network.network_id, network_name: network.network_name };
    }),
});

/** Throws if agents are online and `force` is false. */
export async function deleteIn(
  hub: Hub,
  tx: Transaction,
  { network_id, network_name }: Network,
  force: boolean,
): Promise<void> {
  const active = await sessions.countOnline(tx, network_id);
  if (active > 0 && !force) throw networkHasActiveSessions(active);
  await endNetwork(hub, tx, network_id);
  await auditOperator(tx, {
    action: 'network.delete',
    target: ['network', network_id],
    network_id,
    detail: network_name,
  });
}
