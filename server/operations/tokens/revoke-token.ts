// Revokes a token of the signed-in user and ends its streams and waits.
import * as v from 'valibot';
import { notFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import * as tokens from '../../store/tokens.ts';
import { operation } from '../operation.ts';
import { audit } from '../records/audit.ts';

export const revokeToken = operation({
  name: 'revoke_token',
  summary: 'Revoke one of your tokens; its open streams and waits end.',
  access: 'account',
  revokesAccess: true,
  input: v.object({ token_id: fields.name }),
  run: (hub, caller, { token_id }, { store }) =>
    store.write(async (tx) => {
      const revoked = await tokens.remove(tx, caller.user_id, token_id);
      if (revoked === undefined) throw notFound('you have no such token');
      await audit(tx, caller, {
        action: 'token.revoke',
        target: ['token', token_id],
        detail: revoked.name,
        ...(revoked.network_id !== null && { network_id: revoked.network_id }),
      });
      tx.afterCommit(() => {
        hub.revocations.announce({ token_id });
        hub.changes.announce({ what: 'tokens', user_id: caller.user_id });
      });
      return { ok: true, token_id };
    }),
});
