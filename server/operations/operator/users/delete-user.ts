// user delete: removes an account with its memberships, tokens, sign-ins and notifiers, and ends its connections. Tasks
// and messages stay, since they belong to networks. The networks it owns must be transferred or deleted in the same
// call.
import * as v from 'valibot';
import type { User } from '../../../domain/accounts/user.ts';
import { invalidInput, ownsNetworks } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import type { Network } from '../../../domain/network.ts';
import type { Hub } from '../../../hub.ts';
import { REVOKES_ACCESS } from '../../../store/engine/database.ts';
import type { Transaction } from '../../../store/engine/transaction.ts';
import * as networks from '../../../store/networks.ts';
import * as users from '../../../store/users.ts';
import { namedUser } from '../named.ts';
import { deleteIn } from '../networks/delete-network.ts';
import { transferTo } from '../networks/transfer-network.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';
import { assertAdminRemains } from './last-admin.ts';

export const deleteUser = operatorOperation({
  name: 'user delete',
  input: v.object({
    user: fields.name,
    transfer_to: v.optional(fields.name),
    delete_networks: v.optional(v.boolean(), false),
    /** Deletes networks with agents that are online. */
    force: v.optional(v.boolean(), false),
  }),
  run: (hub, { user: name, transfer_to, delete_networks, force }) =>
    hub.store.write(async (tx) => {
      const user = await namedUser(tx, name);
      await assertAdminRemains(tx, user);
      const owned = await networks.listOwned(tx, user.user_id);
      const names = owned.map(({ network_name }) => network_name);
      if (transfer_to !== undefined && delete_networks)
        throw invalidInput('transfer_to and delete_networks exclude each other');
      if (transfer_to !== undefined) await transferAll(hub, tx, { owned, from: user, to: transfer_to });
      else if (delete_networks) for (const network of owned) await deleteIn(hub, tx, network, force);
      else if (owned.length > 0) throw ownsNetworks(user.username, names);
      await users.remove(tx, user.user_id);
      await auditOperator(tx, {
        action: 'user.delete',
        target: ['user', user.user_id],
        detail: `${user.username}${networksDetail(names, transfer_to)}`,
      });
      tx.afterCommit(() => {
        hub.revocations.announce({ user_id: user.user_id });
        hub.notifiers.forget();
        hub.changes.announce({ what: 'users' });
      });
      const { user_id, username } = user;
      return {
        ok: true,
        user_id,
        username,
        transferred: transfer_to === undefined ? [] : names,
        deleted: delete_networks ? names : [],
      };
    }, REVOKES_ACCESS),
});

type Transfer = { owned: readonly Network[]; from: User; to: string };

async function transferAll(hub: Hub, tx: Transaction, { owned, from, to }: Transfer): Promise<void> {
  const heir = await namedUser(tx, to);
  if (heir.user_id === from.user_id) throw invalidInput(`transfer_to must be another user than ${from.username}`);
  for (const network of owned) await transferTo(hub, tx, network, heir);
}

function networksDetail(names: readonly string[], transferTo: string | undefined): string {
  if (names.length === 0) return '';
  return `; networks ${transferTo === undefined ? 'deleted' : `to ${transferTo}`}: ${names.join(', ')}`;
}
