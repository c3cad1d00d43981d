// token list, create, revoke: manage the tokens of the hub in a data directory.
import { createToken } from '../../operations/operator/tokens/create-token.ts';
import { listTokens } from '../../operations/operator/tokens/list-tokens.ts';
import { revokeToken } from '../../operations/operator/tokens/revoke-token.ts';
import { age, type OutputOptions, sayAnswer, sayLine, table } from '../output.ts';
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
        token.expired ? 'expired' : (token.expires_at ?? 'never'),
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

export async function tokenRevoke(tokenId: string, options: Options): Promise<void> {
  sayLine(
    options,
    await asOperator(options, revokeToken, { token_id: tokenId }),
    ({ token_id, name }) => `revoked ${token_id} (${name})`,
  );
}
