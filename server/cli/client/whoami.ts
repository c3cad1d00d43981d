// whoami: shows the hub, and the user or token that commands use.
import type { UserRecord } from '../../domain/accounts/user.ts';
import type { NetworkRecord } from '../../domain/network.ts';
import { facts, type OutputOptions, sayAnswer } from '../output.ts';
import { access, networkHub } from './credentials.ts';
import { hubClient } from './hub-client.ts';

export async function whoami(options: OutputOptions): Promise<void> {
  const { url, userToken, networkId } = access();
  if (userToken === undefined) return showNetworkToken(url, options);
  const hub = hubClient(url, userToken);
  const { user } = await hub.get<{ user: UserRecord }>('/api/auth/me');
  const { networks } = await hub.getAll<{ networks: NetworkRecord[] }>('/api/networks', 'networks');
  const network = networks.find(({ network_id }) => network_id === networkId);
  sayAnswer(options, { url, user, networks, network_id: network?.network_id ?? null }, () =>
    facts([
      ['hub', url],
      ['user', user.username],
      ['name', user.display_name],
      ['role', user.role],
      ['network', network?.network_name],
      ['networks', networks.map(({ network_name, member_role }) => `${network_name} (${member_role})`).join(', ')],
    ]),
  );
}

// A network token does not identify its user, so this only verifies that the hub accepts it.
async function showNetworkToken(url: string, options: OutputOptions): Promise<void> {
  await networkHub().get('/api/stats');
  sayAnswer(options, { url, token: 'network' }, () =>
    facts([
      ['hub', url],
      ['token', 'a network token, which the hub accepts'],
    ]),
  );
}
