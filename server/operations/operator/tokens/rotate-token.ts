// token rotate: replaces the secret of a network token. The old secret stops working with the commit, and the
// connections opened with it end. Name, user, network and id stay.
import * as v from 'valibot';
import { newToken, tokenHash } from '../../../domain/accounts/token.ts';
import { invalidInput } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import { MAX_TOKEN_DAYS } from '../../../domain/limits.ts';
import { DAY_MS, timestampOrNull } from '../../../domain/time/time.ts';
import * as tokens from '../../../store/tokens.ts';
import { namedToken } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const rotateToken = operatorOperation({
  name: 'token rotate',
  input: v.object({
    token_id: fields.name,
    /** If omitted, the expiry does not change. */
    expires_in_days: v.optional(fields.numberAboveZero(MAX_TOKEN_DAYS)),
  }),
  run: (hub, { token_id, expires_in_days: days }) =>
    hub.store.write(async (tx) => {
      const { kind, name, network_id, user_id, username, ...before } = await namedToken(tx, token_id);
      if (kind !== 'network')
        throw invalidInput(`${token_id} is a sign-in of ${username}, which cannot be rotated; revoke it instead`);
      const expires_at = days === undefined ? before.expires_at : tx.now + Math.ceil(days * DAY_MS);
      if (expires_at !== null && expires_at <= tx.now)
        throw invalidInput(`${token_id} has expired; set a new expiry with --expires-in-days`);
      const token = newToken(kind, hub.ids);
      await tokens.remove(tx, user_id, token_id);
      await tokens.insert(tx, { token_id, kind, name, network_id, user_id, expires_at, hash: tokenHash(token) });
      await auditOperator(tx, {
        action: 'token.rotate',
        target: ['token', token_id],
        network_id,
        detail: `${name}, of ${username}`,
      });
      tx.afterCommit(() => {
        hub.revocations.announce({ token_id });
        hub.changes.announce({ what: 'tokens', user_id });
      });
      return { ok: true, token, token_id, name, username, network_id, expires_at: timestampOrNull(expires_at) };
    }),
});
