// token list, show, create, rotate, revoke: manage the tokens of the hub in a data directory.
import { createToken } from '../../operations/operator/tokens/create-token.ts';
import { listTokens } from '../../operations/operator/tokens/list-tokens.ts';
import { revokeToken } from '../../operations/operator/tokens/revoke-token.ts';
import { rotateToken } from '../../operations/operator/tokens/rotate-token.ts';
import { showToken } from '../../operations/operator/tokens/show-token.ts';
import { age, facts, type OutputOptions, sayAnswer, sayLine, table, zoned } from '../output.ts';
import { type ConfirmOptions, confirm } from '../prompt.ts';
import { asOperator, type DataOptions, listAsOperator } from './as-operator.ts';

type Options = DataOptions & OutputOptions;

export async function tokenList(options: Options & { user?: string; network?: string }): Promise<void> {
  const { user, network } = options;
  sayAnswer(options, await listAsOperator(options, listTokens, 'tokens', { user, network }), ({ tokens }) =>
    table(
      ['ID', 'KIND', 'NAME', 'USER', 'NETWORK', 'LAST USED', 'EXPIRES'],
      tokens.map((token) => [
        token.token_id,
        token.kind,
        token.name,
        token.username,
        token.network_name,
        token.last_used_at && `${age(token.last_used_at)} ago`,
        token.expired ? 'expired' : (zoned(token.expires_at) ?? 'never'),
      ]),
    ),
  );
}

type CreateOptions = Options & { user: string; network?: string; expiresInDays?: number };

export async function tokenCreate(name: string, options: CreateOptions): Promise<void> {
  const { user, network, expiresInDays: expires_in_days } = options;
  sayAnswer(
    options,
    await asOperator(options, createToken, { name, user, network, expires_in_days }),
    ({ token }) => token,
  );
}

export async function tokenShow(tokenId: string, options: Options): Promise<void> {
  sayAnswer(options, await asOperator(options, showToken, { token_id: tokenId }), ({ token }) =>
    facts([
      ['id', token.token_id],
      ['name', token.name],
      ['kind', token.kind],
      ['user', token.username],
      ['network', token.network_name && `${token.network_name} (${token.network_id})`],
      ['created', zoned(token.created_at)],
      ['last used', zoned(token.last_used_at) ?? 'never'],
      ['expires', zoned(token.expires_at) ?? 'never'],
      ['state', token.expired ? 'expired' : 'valid'],
    ]),
  );
}

type RotateOptions = Options & ConfirmOptions & { expiresInDays?: number };

export async function tokenRotate(tokenId: string, options: RotateOptions): Promise<void> {
  await confirm(
    options,
    async () => `This replaces the secret of ${await described(tokenId, options)}. The old secret stops working now.`,
  );
  const input = { token_id: tokenId, expires_in_days: options.expiresInDays };
  sayAnswer(options, await asOperator(options, rotateToken, input), ({ token }) => token);
}

export async function tokenRevoke(tokenId: string, options: Options & ConfirmOptions): Promise<void> {
  await confirm(
    options,
    async () => `This revokes ${await described(tokenId, options)} for good, and closes its connections.`,
  );
  sayLine(
    options,
    await asOperator(options, revokeToken, { token_id: tokenId }),
    ({ token_id, name }) => `revoked ${token_id} (${name})`,
  );
}

async function described(tokenId: string, options: Options): Promise<string> {
  const { token } = await asOperator(options, showToken, { token_id: tokenId });
  const network = token.network_name === null ? '' : ` in the network ${token.network_name}`;
  return `the token ${token.name} (${token.token_id}) of ${token.username}${network}`;
}
