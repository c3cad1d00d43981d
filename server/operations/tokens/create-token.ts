// Creates a network token for the signed-in user. The token is returned once and never stored.
import * as v from 'valibot';
import { invalidInput, noSuchNetwork, notAMember } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_TOKEN_DAYS, MAX_TOKEN_NAME } from '../../domain/limits.ts';
import { DAY_MS, timestampOrNull } from '../../domain/time/time.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as members from '../../store/members.ts';
import * as networks from '../../store/networks.ts';
import { operation } from '../operation.ts';
import { makeRoomForToken } from '../quotas.ts';
import { audit } from '../records/audit.ts';
import { issueToken } from './issue-token.ts';

export const createToken = operation({
  name: 'create_token',
  summary: 'Create a network token; it is shown once.',
  access: 'account',
  input: v.object({
    name: fields.text(MAX_TOKEN_NAME, 1),
    network_id: v.optional(fields.described(fields.name, 'default: your first network')),
    expires_in_days: v.optional(fields.numberAboveZero(MAX_TOKEN_DAYS)),
  }),
  run: (hub, caller, { name, network_id: requested, expires_in_days: days }, { store }) =>
    store.write(async (tx) => {
      const network_id = await chooseNetwork(tx, caller.user_id, requested);
      await makeRoomForToken(hub, tx, caller.user_id);
      const expires_at = days === undefined ? null : tx.now + Math.ceil(days * DAY_MS);
      const { token, token_id } = await issueToken(hub, tx, {
        kind: 'network',
        user_id: caller.user_id,
        network_id,
        name,
        expires_at,
      });
      await audit(tx, caller, { action: 'token.create', target: ['token', token_id], network_id, detail: name });
      return { ok: true, token, token_id, name, network_id, expires_at: timestampOrNull(expires_at) };
    }),
});

async function chooseNetwork(tx: Transaction, userId: string, requested: string | undefined): Promise<string> {
  const networkId = requested ?? (await networks.findFirstOwned(tx, userId));
  if (networkId === undefined) throw invalidInput('network_id is required: you own no network');
  if ((await networks.find(tx, networkId)) === undefined) throw noSuchNetwork();
  if ((await members.findRole(tx, networkId, userId)) === undefined) throw notAMember();
  return networkId;
}
