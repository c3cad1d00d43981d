// token revoke: revokes any token of the hub and ends its streams and waits.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { REVOKES_ACCESS } from '../../../store/engine/database.ts';
import * as tokens from '../../../store/tokens.ts';
import { namedToken } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const revokeToken = operatorOperation({
  name: 'token revoke',
  input: v.object({ token_id: fields.name }),
  run: (hub, { token_id }) =>
    hub.store.write(async (tx) => {
      const { user_id, name, network_id } = await namedToken(tx, token_id);
      await tokens.remove(tx, user_id, token_id);
      await auditOperator(tx, {
        action: 'token.revoke',
        target: ['token', token_id],
        network_id,
        detail: name,
      });
      tx.afterCommit(() => {
        hub.revocations.announce({ token_id });
        hub.changes.announce({ what: 'tokens', user_id });
      });
      return { ok: true, token_id, name };
    }, REVOKES_ACCESS),
});
