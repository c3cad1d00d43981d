// token list: lists the tokens of the hub without their secrets, optionally of one user or one network.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { timestamp, timestampOrNull } from '../../../domain/time/time.ts';
import * as tokens from '../../../store/tokens.ts';
import { numbered, readPage } from '../../page.ts';
import { namedNetwork, namedUser } from '../named.ts';
import { listPage, operatorOperation } from '../operator-operation.ts';

export type TokenLine = ReturnType<typeof tokenLine>;

export const listTokens = operatorOperation({
  name: 'token list',
  input: v.object({ user: v.optional(fields.name), network: v.optional(fields.name), ...listPage }),
  run: (hub, { user, network, ...request }) =>
    hub.store.read(async (reader) => {
      const of = {
        user_id: user === undefined ? undefined : (await namedUser(reader, user)).user_id,
        network_id: network === undefined ? undefined : (await namedNetwork(reader, network)).network_id,
      };
      const scope = { networks: [], cursors: numbered(hub, 'all_tokens') };
      const { items, ...page } = await readPage(scope, request, (asked) => tokens.listAll(reader, of, asked));
      return { ok: true, tokens: items.map((token) => tokenLine(token, reader.now)), ...page };
    }),
});

export function tokenLine(token: tokens.TokenOverview, now: number) {
  return {
    token_id: token.token_id,
    name: token.name,
    kind: token.kind,
    username: token.username,
    network_id: token.network_id,
    network_name: token.network_name,
    created_at: timestamp(token.created_at),
    last_used_at: timestampOrNull(token.last_used_at),
    expires_at: timestampOrNull(token.expires_at),
    expired: token.expires_at !== null && token.expires_at <= now,
  };
}
