// user list: lists all accounts of the hub.
import * as v from 'valibot';
import { timestamp, timestampOrNull } from '../../../domain/time/time.ts';
import * as users from '../../../store/users.ts';
import { numbered, readPage } from '../../page.ts';
import { listPage, operatorOperation } from '../operator-operation.ts';

export type UserLine = ReturnType<typeof userLine>;

export const listUsers = operatorOperation({
  name: 'user list',
  input: v.object(listPage),
  run: (hub, request) =>
    hub.store.read(async (reader) => {
      const scope = { networks: [], cursors: numbered(hub, 'all_users') };
      const { items, ...page } = await readPage(scope, request, (asked) => users.listAll(reader, asked));
      return { ok: true, users: items.map(userLine), ...page };
    }),
});

export function userLine(user: users.UserOverview) {
  return {
    user_id: user.user_id,
    username: user.username,
    display_name: user.display_name,
    email: user.email,
    role: user.role,
    disabled: user.disabled_at !== null,
    networks: user.networks,
    created_at: timestamp(user.created_at),
    last_used_at: timestampOrNull(user.last_used_at),
  };
}
