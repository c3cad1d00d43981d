// token create: creates a network token for an agent, on behalf of a network member. The token is returned once and
// never stored.
import * as v from 'valibot';
import { invalidInput } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import { MAX_TOKEN_DAYS, MAX_TOKEN_NAME } from '../../../domain/limits.ts';
import { DAY_MS, timestampOrNull } from '../../../domain/time/time.ts';
import type { Transaction } from '../../../store/engine/transaction.ts';
import * as members from '../../../store/members.ts';
import * as networks from '../../../store/networks.ts';
import { issueToken } from '../../tokens/issue-token.ts';
import { namedNetwork, namedUser } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const createToken = operatorOperation({
  name: 'token create',
  input: v.object({
    name: fields.text(MAX_TOKEN_NAME, 1),
    user: fields.name,
    network: v.optional(fields.name),
    expires_in_days: v.optional(fields.numberAboveZero(MAX_TOKEN_DAYS)),
  }),
  run: (hub, { name, user, network, expires_in_days: days }) =>
    hub.store.write(async (tx) => {
      const { user_id, username } = await namedUser(tx, user);
      const network_id =
        network === undefined ? await firstOwned(tx, user_id, username) : (await namedNetwork(tx, network)).network_id;
      if ((await members.findRole(tx, network_id, user_id)) === undefined)
        throw invalidInput(`${username} is not a member of that network`);
      const expires_at = days === undefined ? null : tx.now + Math.ceil(days * DAY_MS);
      const { token, token_id } = await issueToken(hub, tx, { kind: 'network', user_id, network_id, name, expires_at });
      await auditOperator(tx, {
        action: 'token.create',
        target: ['token', token_id],
        network_id,
        detail: `${name}, of ${username}`,
      });
      return { ok: true, token, token_id, name, username, network_id, expires_at: timestampOrNull(expires_at) };
    }),
});

async function firstOwned(tx: Transaction, userId: string, username: string): Promise<string> {
  const networkId = await networks.findFirstOwned(tx, userId);
  if (networkId === undefined) throw invalidInput(`${username} owns no network; name one with --network`);
  return networkId;
}
