// Changes the password of the signed-in user, and ends every other sign-in.
import * as v from 'valibot';
import { wrongPassword } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '../../domain/limits.ts';
import * as tokens from '../../store/tokens.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';
import { audit } from '../records/audit.ts';
import { countGuess } from './failed-logins.ts';

export const changePassword = operation({
  name: 'change_password',
  summary: 'Change your password; your other sign-ins end.',
  access: 'account',
  input: v.object({ old_password: fields.text(MAX_PASSWORD, 1), new_password: fields.text(MAX_PASSWORD, MIN_PASSWORD) }),
  run: async (hub, caller, { old_password, new_password }) => {
    const wasRight = countGuess(hub, caller.username);
    const user = await hub.store.read((reader) => users.find(reader, caller.user_id));
    if (!(await hub.passwords.verify(old_password, user?.password_hash))) throw wrongPassword();
    wasRight();
    const passwordHash = await hub.passwords.hash(new_password);
    return hub.store.write(async (tx) => {
      await users.markPassword(tx, caller.user_id, passwordHash);
      const ended = await tokens.removeOtherSignIns(tx, caller.user_id, caller.token_id);
      await audit(tx, caller, { action: 'user.password', target: ['user', caller.user_id] });
      tx.afterCommit(() => ended.forEach(({ token_id }) => hub.revocations.announce({ token_id })));
      return { ok: true };
    });
  },
});
