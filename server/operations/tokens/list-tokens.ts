// Lists the tokens of the signed-in user, without their secrets.
import * as v from 'valibot';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { Token } from '../../domain/accounts/token.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_LONG_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import { timestamp, timestampOrNull } from '../../domain/time/time.ts';
import * as tokens from '../../store/tokens.ts';
import { operation } from '../operation.ts';
import { numbered, readPage } from '../page.ts';

export const listTokens = operation({
  name: 'list_tokens',
  summary: 'List your tokens, without their secrets.',
  access: 'account',
  input: v.object({ cursor: fields.cursor, limit: fields.limit(DEFAULT_LONG_LIMIT, MAX_REST_LIMIT) }),
  run: (hub, caller, request, { store }) =>
    store.read(async (reader) => {
      const scope = { networks: [], cursors: numbered(hub, 'tokens') };
      const { items, ...page } = await readPage(scope, request, (asked) =>
        tokens.listOfUser(reader, caller.user_id, asked),
      );
      return { ok: true, tokens: items.map((token) => tokenRecord(token, caller)), ...page };
    }),
});

/** Marks the token of the request as `current`. */
function tokenRecord(token: Omit<Token, 'user_id'>, { token_id }: Caller) {
  return {
    token_id: token.token_id,
    name: token.name,
    kind: token.kind,
    network_id: token.network_id,
    created_at: timestamp(token.created_at),
    last_used_at: timestampOrNull(token.last_used_at),
    expires_at: timestampOrNull(token.expires_at),
    ...(token.token_id === token_id && { current: true }),
  };
}
