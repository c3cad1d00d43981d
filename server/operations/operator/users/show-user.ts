// user show: shows one account, with its networks and tokens.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { MAX_REST_LIMIT } from '../../../domain/limits.ts';
import * as networks from '../../../store/networks.ts';
import * as tokens from '../../../store/tokens.ts';
import * as users from '../../../store/users.ts';
import { namedUser } from '../named.ts';
import { operatorOperation } from '../operator-operation.ts';
import { userLine } from './list-users.ts';

export const showUser = operatorOperation({
  name: 'user show',
  input: v.object({ user: fields.name }),
  run: (hub, { user: name }) =>
    hub.store.read(async (reader) => {
      const { user_id } = await namedUser(reader, name);
      const joined = await networks.listOfUser(reader, user_id, { networks: [], limit: MAX_REST_LIMIT });
      return {
        ok: true,
        user: userLine(await users.getOverview(reader, user_id)),
        networks: joined.map(({ network_id, network_name, member_role }) => ({
          network_id,
          network_name,
          role: member_role,
        })),
        live_tokens: await tokens.countLive(reader, user_id),
      };
    }),
});
