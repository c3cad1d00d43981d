// The tokens of the signed-in user: made, listed without their secret, revoked.
import * as v from 'valibot';
import { invalidInput, noSuchNetwork, notAMember, notFound } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT, MAX_TOKEN_DAYS, MAX_TOKEN_NAME } from '../../domain/limits.ts';
import { DAY_MS, timestamp, timestampOrNull } from '../../domain/time.ts';
import type { Token } from '../../domain/token.ts';
import type { Transaction } from '../../store/database.ts';
import * as members from '../../store/members.ts';
import * as networks from '../../store/networks.ts';
import * as tokens from '../../store/tokens.ts';
import { operation } from '../operation.ts';
import { readPage } from '../page.ts';
import { audit } from '../records/audit.ts';
import { issueToken } from './issue-token.ts';

export const createToken = operation({
  name: 'create_token',
  summary: 'Create a network token; it is shown once.',
  access: 'account',
  input: v.object({
    name: fields.text(MAX_TOKEN_NAME, 1),
    network_id: v.optional(fields.described(fields.name, 'default: your first network')),
    expires_in_days: v.optional(fields.numberFrom(0, MAX_TOKEN_DAYS)),
  }),
  run: (hub, caller, { name, network_id: requested, expires_in_days: days }) =>
    hub.store.write(async (tx) => {
      const network_id = await chooseNetwork(tx, caller.user_id, requested);
      const expires_at = days === undefined ? null : tx.now + Math.round(days * DAY_MS);
      const { token, token_id } = await issueToken(hub, tx, { kind: 'network', user_id: caller.user_id, network_id, name, expires_at });
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

export const listTokens = operation({
  name: 'list_tokens',
  summary: 'List your tokens, without their secrets.',
  access: 'account',
  input: v.object({ cursor: fields.cursor, limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT) }),
  run: (hub, caller, request) =>
    hub.store.read(async (reader) => {
      const { items, ...page } = await readPage({ networks: [] }, request, (asked) => tokens.listOfUser(reader, caller.user_id, asked));
      return { ok: true, tokens: items.map(tokenRecord), ...page };
    }),
});

function tokenRecord(token: Omit<Token, 'user_id'>) {
  return {
    token_id: token.token_id,
    name: token.name,
    kind: token.kind,
    network_id: token.network_id,
    created_at: timestamp(token.created_at),
    last_used_at: timestampOrNull(token.last_used_at),
    expires_at: timestampOrNull(token.expires_at),
  };
}

export const revokeToken = operation({
  name: 'revoke_token',
  summary: 'Revoke a token of yours; what it has open ends.',
  access: 'account',
  input: v.object({ token_id: fields.name }),
  run: (hub, caller, { token_id }) =>
    hub.store.write(async (tx) => {
      const revoked = await tokens.remove(tx, caller.user_id, token_id);
      if (revoked === undefined) throw notFound('you have no such token');
      await audit(tx, caller, {
        action: 'token.revoke', target: ['token', token_id], detail: revoked.name, ...(revoked.network_id !== null && { network_id: revoked.network_id }),
      });
      tx.afterCommit(() => hub.revocations.announce({ token_id }));
      return { ok: true, token_id };
    }),
});
