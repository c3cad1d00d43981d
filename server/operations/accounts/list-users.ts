// Lists all users of the hub, for system admins.
import * as v from 'valibot';
import { userRecord } from '../../domain/accounts/user.ts';
import { adminOnly } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import { timestamp } from '../../domain/time/time.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';
import { numbered, readPage } from '../page.ts';

export const listUsers = operation({
  name: 'list_users',
  summary: 'List all users of the hub (system admin).',
  access: 'account',
  input: v.object({ cursor: fields.cursor, limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT) }),
  run: (hub, caller, request, { store }) => {
    if (caller.system_role !== 'admin') throw adminOnly();
    return store.read(async (reader) => {
      const scope = { networks: [], cursors: numbered(hub, 'users') };
      const { items, ...page } = await readPage(scope, request, (asked) => users.list(reader, asked));
      const shown = items.map((user) => ({
        ...userRecord(user),
        email: user.email,
        created_at: timestamp(user.created_at),
        ...(user.disabled_at !== null && { disabled: true }),
      }));
      return { ok: true, users: shown, ...page };
    });
  },
});
