// user reset-password: sets a new password for a user who lost theirs. All their logins end; tokens of agents stay
// valid.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '../../../domain/limits.ts';
import * as tokens from '../../../store/tokens.ts';
import * as users from '../../../store/users.ts';
import { namedUser } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';
import { newPassword } from './create-user.ts';

export const resetPassword = operatorOperation({
  name: 'user reset-password',
  input: v.object({ user: fields.name, password: v.optional(fields.text(MAX_PASSWORD, MIN_PASSWORD)) }),
  run: async (hub, { user: name, password: given }) => {
    await hub.store.read((reader) => namedUser(reader, name)); // before the expensive hash
    const password = given ?? newPassword(hub.ids);
    const passwordHash = await hub.passwords.hash(password, { rank: 'operator' });
    return hub.store.write(async (tx) => {
      const { user_id, username } = await namedUser(tx, name);
      await users.markPassword(tx, user_id, passwordHash);
      const ended = await tokens.removeSignIns(tx, user_id);
      await auditOperator(tx, { action: 'user.password', target: ['user', user_id], detail: `of ${username}` });
      tx.afterCommit(() => {
        ended.forEach(({ token_id }) => hub.revocations.announce({ token_id }));
        hub.changes.announce({ what: 'tokens', user_id });
      });
      return { ok: true, user_id, username, ended_sign_ins: ended.length, ...(given === undefined && { password }) };
    });
  },
});
