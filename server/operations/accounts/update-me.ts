// Updates the display name of the signed-in user.
import * as v from 'valibot';
import { userRecord } from '../../domain/accounts/user.ts';
import { unauthorized } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_DISPLAY_NAME } from '../../domain/limits.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';

export const updateMe = operation({
  name: 'update_me',
  summary: 'Change your display name.',
  access: 'account',
  input: v.object({ display_name: fields.text(MAX_DISPLAY_NAME, 1) }),
  run: (hub, caller, { display_name }, { store }) =>
    store.write(async (tx) => {
      await users.markDisplayName(tx, caller.user_id, display_name);
      const user = await users.find(tx, caller.user_id);
      if (user === undefined) throw unauthorized();
      // The members of a network are listed with their display names.
      const shownIn = caller.memberships.map(({ network_id }) => ({ what: 'members', network_id }) as const);
      tx.afterCommit(() => hub.changes.announce({ what: 'users' }, ...shownIn));
      return { ok: true, user: userRecord(user) };
    }),
});
