// user disable and user enable: suspends a user with all their tokens, and restores them with the same tokens.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import type { Hub } from '../../../hub.ts';
import { NO_TENANT, REVOKES_ACCESS } from '../../../store/engine/database.ts';
import * as users from '../../../store/users.ts';
import { namedUser } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';
import { assertAdminRemains } from './last-admin.ts';

const input = v.object({ user: fields.name });

export const disableUser = operatorOperation({
  name: 'user disable',
  input,
  run: (hub, { user }) => setDisabled(hub, user, true),
});
export const enableUser = operatorOperation({
  name: 'user enable',
  input,
  run: (hub, { user }) => setDisabled(hub, user, false),
});

function setDisabled(hub: Hub, name: string, disabled: boolean) {
  return hub.store.write(
    async (tx) => {
      const user = await namedUser(tx, name);
      const { user_id, username, disabled_at } = user;
      if ((disabled_at !== null) === disabled) return { ok: true, user_id, username, disabled, changed: false };
      if (disabled) await assertAdminRemains(tx, user);
      await users.markDisabled(tx, user_id, disabled ? tx.now : null);
      await auditOperator(tx, {
        action: disabled ? 'user.disable' : 'user.enable',
        target: ['user', user_id],
        detail: username,
      });
      if (disabled) tx.afterCommit(() => hub.revocations.announce({ user_id }));
      tx.afterCommit(() => hub.changes.announce({ what: 'users' }));
      return { ok: true, user_id, username, disabled, changed: true };
    },
    disabled ? REVOKES_ACCESS : NO_TENANT,
  );
}
