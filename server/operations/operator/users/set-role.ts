// user set-role: grants or removes the admin role. The user's open streams and waits end, and reopen with the new role.
import * as v from 'valibot';
import { SYSTEM_ROLES } from '../../../domain/accounts/user.ts';
import * as fields from '../../../domain/fields.ts';
import * as users from '../../../store/users.ts';
import { namedUser } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';
import { assertAdminRemains } from './last-admin.ts';

export const setRole = operatorOperation({
  name: 'user set-role',
  input: v.object({ user: fields.name, role: fields.oneOf(SYSTEM_ROLES) }),
  run: (hub, { user: name, role }) =>
    hub.store.write(async (tx) => {
      const user = await namedUser(tx, name);
      const { user_id, username, role: before } = user;
      if (before === role) return { ok: true, user_id, username, role, changed: false };
      if (role !== 'admin') await assertAdminRemains(tx, user);
      await users.markRole(tx, user_id, role);
      await auditOperator(tx, {
        action: 'user.role',
        target: ['user', user_id],
        detail: `${username}: ${before} → ${role}`,
      });
      tx.afterCommit(() => {
        hub.revocations.announce({ user_id });
        hub.changes.announce({ what: 'users' });
      });
      return { ok: true, user_id, username, role, changed: true };
    }),
});
