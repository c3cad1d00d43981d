// Creates a token and stores its hash. The token itself is only in the result.
import { newToken, type Token, tokenHash } from '../../domain/accounts/token.ts';
import { USER_TOKEN_IDLE_MS } from '../../domain/limits.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as tokens from '../../store/tokens.ts';

export type TokenRequest = Pick<Token, 'kind' | 'user_id' | 'network_id' | 'name'> & { expires_at?: number | null };

/** A user token expires 30 days after its last use; a network token at `expires_at`, or never. */
export async function issueToken(
  hub: Hub,
  tx: Transaction,
  request: TokenRequest,
): Promise<{ token: string; token_id: string }> {
  const token = newToken(request.kind, hub.ids);
  const token_id = hub.ids.next('tok');
  const expires_at = request.kind === 'user' ? tx.now + USER_TOKEN_IDLE_MS : (request.expires_at ?? null);
  await tokens.insert(tx, { ...request, token_id, expires_at, hash: tokenHash(token) });
  tx.afterCommit(() => hub.changes.announce({ what: 'tokens', user_id: request.user_id }));
  return { token, token_id };
}
