// login and logout. Login exchanges username and password for a user token and a new network token, and stores both.
import { hostname } from 'node:os';
import type { UserRecord } from '../../domain/accounts/user.ts';
import type { NetworkRecord } from '../../domain/network.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { CommandError } from '../exit-codes.ts';
import { note, say } from '../output.ts';
import { openPrompt } from '../prompt.ts';
import { lineOfInput } from '../text-argument.ts';
import {
  credentialsFile,
  forget,
  loginUrl,
  overridingVariables,
  readStored,
  readUrl,
  type StoredCredentials,
  store,
} from './credentials.ts';
import { type HubClient, hubClient, isTransient } from './hub-client.ts';

export type LoginOptions = { username?: string; passwordStdin?: true; network?: string };

type Login = { user: UserRecord; token: string; token_id?: string; network_id: string | null };

export async function login(address: string | undefined, options: LoginOptions): Promise<void> {
  const previous = readPrevious();
  const url = readUrl(address ?? loginUrl(previous), 'the address');
  const signedIn = await signIn(url, options);
  const hub = hubClient(url, signedIn.token);
  const network = await chooseNetwork(hub, options.network ?? signedIn.network_id);
  const networkToken = network === undefined ? undefined : await freshToken(hub, network);
  await keep(hub, credentialsOf(url, signedIn, networkToken));
  if (previous?.url === url) await revoke(hub, previous);
  say(
    oneLine(
      `signed in to ${url} as ${signedIn.user.username}${network === undefined ? '' : `, in the network ${network.network_name}`}`,
    ),
  );
  if (network === undefined) note('you are not a member of a network yet; join one in the console, then log in again');
  warnOfEnvironment();
}

/** Prompts for a password only after the hub has responded. */
async function signIn(url: string, options: LoginOptions): Promise<Login> {
  const hub = hubClient(url, undefined);
  return hub.post('/api/auth/login', await credentials(options, () => hub.get('/health')));
}

async function credentials({ username, passwordStdin }: LoginOptions, assertReachable: () => Promise<unknown>) {
  const prompt = openPrompt();
  try {
    await assertReachable();
    return {
      username: username ?? (await prompt.ask('Username: ')),
      password: passwordStdin && !process.stdin.isTTY ? await lineOfInput() : await prompt.askSecret('Password: '),
    };
  } finally {
    prompt.close();
  }
}

/** Revokes the tokens if they cannot be stored. */
async function keep(hub: HubClient, credentials: StoredCredentials): Promise<void> {
  try {
    store(credentials);
  } catch (error) {
    await revoke(hub, credentials);
    throw error;
  }
}

/** Returns the requested network, or the user's first one. */
async function chooseNetwork(hub: HubClient, wanted: string | null): Promise<NetworkRecord | undefined> {
  const { networks } = await hub.getAll<{ networks: NetworkRecord[] }>('/api/networks', 'networks');
  if (wanted === null) return networks[0];
  const chosen = networks.find(({ network_id, network_name }) => network_id === wanted || network_name === wanted);
  if (chosen === undefined)
    throw new CommandError(
      `you are not a member of network ${wanted}; your networks: ${networks.map(({ network_name }) => oneLine(network_name)).join(', ')}`,
    );
  return chosen;
}

type NetworkToken = { token: string; token_id: string; network_id: string };

function freshToken(hub: HubClient, { network_id }: NetworkRecord): Promise<NetworkToken> {
  return hub.post('/api/tokens', { name: `agenthub login on ${hostname()}`.slice(0, 100), network_id });
}

function credentialsOf(
  url: string,
  { user, token, token_id }: Login,
  network: NetworkToken | undefined,
): StoredCredentials {
  return {
    url,
    username: user.username,
    user_token: token,
    ...(token_id !== undefined && { user_token_id: token_id }),
    ...(network !== undefined && {
      network_token: network.token,
      network_token_id: network.token_id,
      network_id: network.network_id,
    }),
  };
}

// A damaged file is about to be replaced and has no tokens to revoke.
function readPrevious(): StoredCredentials | undefined {
  try {
    return readStored();
  } catch {
    return undefined;
  }
}

/**
 * Revokes the tokens of an earlier login. Ignores tokens that are already revoked or belong to another user. Returns
 * the ids of the tokens that remain valid because the hub is unreachable.
 */
export async function revoke(
  hub: HubClient,
  { user_token_id, network_token_id }: StoredCredentials,
): Promise<string[]> {
  const left: string[] = [];
  for (const id of [network_token_id, user_token_id]) {
    if (id !== undefined)
      await hub.remove(`/api/tokens/${id}`).catch((error: unknown) => void (isTransient(error) && left.push(id)));
  }
  return left;
}

function warnOfEnvironment(): void {
  const set = overridingVariables();
  if (set.length > 0)
    note(
      `${set.join(' and ')} in your environment ${set.length === 1 ? 'takes' : 'take'} precedence over ${credentialsFile()}`,
    );
}

/** Deletes the credentials even if the hub is unreachable. The tokens then stay valid until revoked or expired. */
export async function logout(): Promise<void> {
  const stored = readStored();
  const left = stored === undefined ? [] : await revoke(hubClient(stored.url, stored.user_token), stored);
  forget();
  if (left.length > 0)
    note(
      `the hub is unreachable, so these tokens stay valid: ${left.join(', ')}; revoke them on the hub's machine with agenthub token revoke`,
    );
  say(stored === undefined ? 'not signed in' : oneLine(`signed out of ${stored.url}; removed ${credentialsFile()}`));
}
