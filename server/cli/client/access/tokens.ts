// Network tokens that the command line creates for a signed-in user, and revokes again.
import { hostname } from 'node:os';
import { type HubClient, isTransient } from '../hub-client.ts';
import type { Context } from './contexts.ts';

export type NetworkToken = { token: string; token_id: string };

export async function freshNetworkToken(hub: HubClient, network_id: string): Promise<NetworkToken> {
  const name = `agenthub login on ${hostname()}`.slice(0, 100);
  const { token, token_id } = await hub.post<NetworkToken>('/api/tokens', { name, network_id });
  return { token, token_id };
}

/**
 * Revokes the tokens of a context, the one that authorizes it last. Ignores tokens that are already revoked or belong
 * to another user. Returns the ids of the tokens that remain valid because the hub is unreachable.
 */
export async function revokeTokens(hub: HubClient, { user_token_id, networks }: Context): Promise<string[]> {
  const left: string[] = [];
  const ids = [...Object.values(networks).map(({ token_id }) => token_id), user_token_id];
  for (const id of ids) {
    if (id !== undefined)
      await hub.remove(`/api/tokens/${id}`).catch((error: unknown) => void (isTransient(error) && left.push(id)));
  }
  return left;
}
