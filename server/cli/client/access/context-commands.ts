// context list, show, use and remove: which hubs the user signed in to, and which of them commands use.
import type { UserRecord } from '../../../domain/accounts/user.ts';
import type { NetworkRecord } from '../../../domain/network.ts';
import { facts, note, type OutputOptions, say, sayAnswer, sayLine, table } from '../../output.ts';
import { hubClient } from '../hub-client.ts';
import { access, networkHub } from './access.ts';
import { contextsFile, currentContext, namedContext, readContexts, removeContext, useContext } from './contexts.ts';
import type { HubOptions } from './hub-options.ts';
import { revokeTokens } from './tokens.ts';

export async function contextList({ names = false, ...options }: OutputOptions & { names?: boolean }): Promise<void> {
  const { current, contexts } = readContexts();
  if (names && options.output === 'table') return Object.keys(contexts).forEach(say);
  const listed = Object.entries(contexts).map(([name, { url, username, network_id }]) => ({
    name,
    current: name === current,
    url,
    username,
    network_id: network_id ?? null,
  }));
  sayAnswer(options, { contexts: listed }, () =>
    listed.length === 0
      ? 'no contexts; agenthub login creates one'
      : table(
          ['', 'NAME', 'HUB', 'USER', 'NETWORK'],
          listed.map((each) => [each.current ? '*' : '', each.name, each.url, each.username, each.network_id]),
        ),
  );
}

export async function contextUse(name: string, options: OutputOptions): Promise<void> {
  const { url, username } = namedContext(name);
  useContext(name);
  sayLine(options, { name, url, username }, () => `using ${name}: ${url} as ${username}`);
}

/** Deletes the tokens even if the hub is unreachable. They then stay valid until revoked or expired. */
export async function contextRemove(name: string | undefined, options: OutputOptions): Promise<void> {
  const context = name === undefined ? currentContext() : namedContext(name);
  if (context === undefined) return sayLine(options, { removed: null }, () => 'not signed in');
  const left = await revokeTokens(hubClient(context.url, context.user_token), context);
  removeContext(context.name);
  if (left.length > 0)
    note(
      `the hub is unreachable, so these tokens stay valid: ${left.join(', ')}; revoke them on the hub's machine with agenthub token revoke`,
    );
  sayLine(
    options,
    { removed: context.name, url: context.url },
    () => `signed out of ${context.url}; removed ${context.name} from ${contextsFile()}`,
  );
}

export async function contextShow(options: HubOptions & OutputOptions): Promise<void> {
  const { url, userToken, networkId, context } = await access(options);
  if (userToken === undefined) return showNetworkToken(url, options);
  const hub = hubClient(url, userToken);
  const { user } = await hub.get<{ user: UserRecord }>('/api/auth/me');
  const { networks } = await hub.getAll<{ networks: NetworkRecord[] }>('/api/networks', 'networks');
  const network = networks.find(({ network_id }) => network_id === networkId);
  const answer = { context: context?.name ?? null, url, user, networks, network_id: network?.network_id ?? null };
  sayAnswer(options, answer, () =>
    facts([
      ['context', context?.name],
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
async function showNetworkToken(url: string, options: HubOptions & OutputOptions): Promise<void> {
  const hub = await networkHub(options);
  await hub.get('/api/stats');
  sayAnswer(options, { url, token: 'network' }, () =>
    facts([
      ['hub', url],
      ['token', 'a network token, which the hub accepts'],
    ]),
  );
}
