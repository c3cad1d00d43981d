// user create: creates an account with a personal network, as registration does, and a token for that network.
import * as v from 'valibot';
import { SYSTEM_ROLES, userRecord } from '../../../domain/accounts/user.ts';
import { invalidInput } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '../../../domain/limits.ts';
import * as users from '../../../store/users.ts';
import { newAccount, registration } from '../../accounts/register.ts';
import { issueToken } from '../../tokens/issue-token.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const createUser = operatorOperation({
  name: 'user create',
  input: v.object({
    ...v.omit(registration, ['invite_code']).entries,
    /** If omitted, a password is generated and returned once. */
    password: v.optional(fields.text(MAX_PASSWORD, MIN_PASSWORD)),
    role: v.optional(fields.oneOf(SYSTEM_ROLES)),
  }),
  run: async (hub, { role, password: given, ...asked }) => {
    const password = given ?? newPassword(hub.ids);
    const passwordHash = await hub.passwords.hash(password, { rank: 'operator' });
    return hub.store.write(async (tx) => {
      if (role === 'user' && !(await users.isAny(tx)))
        throw invalidInput('role must be admin: the first account of a hub is its admin');
      const { user, networkId } = await newAccount(hub, tx, { ...asked, password }, passwordHash);
      if (role !== undefined && role !== user.role) await users.markRole(tx, user.user_id, role);
      const { token } = await issueToken(hub, tx, {
        kind: 'network',
        user_id: user.user_id,
        network_id: networkId,
        name: 'user create',
      });
      const created = { ...userRecord(user), role: role ?? user.role };
      await auditOperator(tx, {
        action: 'user.create',
        target: ['user', user.user_id],
        network_id: networkId,
        detail: `${user.username}, role ${created.role}`,
      });
      return {
        ok: true,
        user: created,
        network_id: networkId,
        network_token: token,
        ...(given === undefined && { password }),
      };
    });
  },
});

/** 119 bits, and short enough to read aloud. */
export function newPassword(ids: { word(length: number): string }): string {
  return ids.word(20);
}
