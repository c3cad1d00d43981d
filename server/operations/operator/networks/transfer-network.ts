// network transfer: makes another user the owner of a network. The previous owner stays as a member.
import * as v from 'valibot';
import type { User } from '../../../domain/accounts/user.ts';
import { invalidInput } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import type { Network } from '../../../domain/network.ts';
import type { Hub } from '../../../hub.ts';
import type { Transaction } from '../../../store/engine/transaction.ts';
import * as networks from '../../../store/networks.ts';
import { namedNetwork, namedUser } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const transferNetwork = operatorOperation({
  name: 'network transfer',
  input: v.object({ network: fields.name, user: fields.name }),
  run: (hub, { network: name, user }) =>
    hub.store.write(async (tx) => {
      const network = await namedNetwork(tx, name);
      const owner = await namedUser(tx, user);
      if (network.owner_id === owner.user_id)
        throw invalidInput(`${owner.username} already owns the network ${network.network_name}`);
      await transferTo(hub, tx, network, owner);
      return { ok: true, network_id: network.network_id, network_name: network.network_name, owner: owner.username };
    }),
});

/** Streams of both users end, and reopen with their new roles. The new owner may exceed the member limit. */
export async function transferTo(hub: Hub, tx: Transaction, network: Network, owner: User): Promise<void> {
  const { network_id, owner_id, network_name } = network;
  await networks.markOwner(tx, network, owner.user_id);
  await auditOperator(tx, {
    action: 'network.transfer',
    target: ['network', network_id],
    network_id,
    detail: `${network_name}, to ${owner.username}`,
  });
  tx.afterCommit(() => {
    for (const user_id of [owner_id, owner.user_id]) hub.revocations.announce({ user_id, network_id });
    hub.changes.announce({ what: 'members', network_id });
  });
}
