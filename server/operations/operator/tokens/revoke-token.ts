// token revoke: revokes any token of the hub and ends its streams and waits.
import * as v from 'valibot';
import { notFound } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import * as tokens from '../../../store/tokens.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const revokeToken = operatorOperation({
  name: 'token revoke',
  input: v.object({ token_id: fields.name }),
  run: (hub, { token_id }) =>
    hub.store.write(async (tx) => {
      const owner = await tokens.findOwner(tx, token_id);
      const revoked = owner === undefined ? undefined : await tokens.remove(tx, owner, token_id);
      if (owner === undefined || revoked === undefined)
        throw notFound(`token ${token_id} does not exist; agenthub token list shows the ids`);
      await auditOperator(tx, {
        action: 'token.revoke',
        target: ['token', token_id],
        network_id: revoked.network_id,
        detail: revoked.name,
      });
      tx.afterCommit(() => {
        hub.revocations.announce({ token_id });
        hub.changes.announce({ what: 'tokens', user_id: owner });
      });
      return { ok: true, token_id, name: revoked.name };
    }),
});
