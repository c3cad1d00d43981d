// me: returns the signed-in user.
import * as v from 'valibot';
import { userRecord } from '../../domain/accounts/user.ts';
import { unauthorized } from '../../domain/errors.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';

export const me = operation({
  name: 'me',
  summary: 'Show the signed-in user.',
  access: 'account',
  input: v.object({}),
  run: async (_hub, caller, _input, { store }) => {
    const user = await store.read((reader) => users.find(reader, caller.user_id));
    if (user === undefined) throw unauthorized();
    return { ok: true, user: userRecord(user) };
  },
});
