// Changes the password of the signed-in user and ends their other logins. Only one change per user runs at a time.
import * as v from 'valibot';
import { clientKey } from '../../domain/addresses.ts';
import { passwordIsChanging, wrongPassword } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from '../../domain/limits.ts';
import type { Hub } from '../../hub.ts';
import * as tokens from '../../store/tokens.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';
import { audit } from '../records/audit.ts';
import { changeKey, countsUse, guess } from './failed-logins.ts';

export const changePassword = operation({
  name: 'change_password',
  summary: 'Change your password; your other logins end.',
  access: 'account',
  isQueued: true,
  input: v.object({
    old_password: fields.text(MAX_PASSWORD, 1),
    new_password: fields.text(MAX_PASSWORD, MIN_PASSWORD),
  }),
  run: (hub, caller, { old_password, new_password }, { store, gone }) =>
    oneAtATime(hub, caller.user_id, async () => {
      const countUse = countsUse(hub, 'change', caller.user_id);
      const turn = { rank: 'change', user: caller.user_id, client: clientKey(caller.ip), gone } as const;
      const user = await store.read((reader) => users.find(reader, caller.user_id));
      const isRight = await guess(hub, changeKey(caller.user_id), () =>
        hub.passwords.verify(old_password, user?.password_hash, turn),
      );
      if (!isRight) throw wrongPassword();
      countUse();
      const passwordHash = await hub.passwords.hash(new_password, { ...turn, rank: 'begun' });
      return store.write(async (tx) => {
        await users.markPassword(tx, caller.user_id, passwordHash);
        const ended = await tokens.removeOtherSignIns(tx, caller.user_id, caller.token_id);
        await audit(tx, caller, { action: 'user.password', target: ['user', caller.user_id] });
        tx.afterCommit(() => {
          ended.forEach(({ token_id }) => hub.revocations.announce({ token_id }));
          hub.changes.announce({ what: 'tokens', user_id: caller.user_id });
        });
        return { ok: true };
      });
    }),
});

async function oneAtATime<Result>(
  { changingPassword }: Hub,
  userId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  if (changingPassword.has(userId)) throw passwordIsChanging();
  changingPassword.add(userId);
  return change().finally(() => changingPassword.delete(userId));
}
