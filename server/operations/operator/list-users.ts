// user list: every account of the hub.
import * as v from 'valibot';
import { timestamp, timestampOrNull } from '../../domain/time.ts';
import * as users from '../../store/users.ts';
import { operatorOperation } from './operator-operation.ts';

export type UserLine = ReturnType<typeof userLine>;

export const listUsers = operatorOperation({
  name: 'user list',
  input: v.object({}),
  run: async (hub) => {
    const found = await hub.store.read(users.listAll);
    return { ok: true, users: found.map(userLine), count: found.length };
  },
});

function userLine(user: users.UserOverview) {
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
