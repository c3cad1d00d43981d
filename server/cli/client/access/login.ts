// login: exchanges username and password for a user token and a network token, and stores both in a context, which is
// then in use.
import type { UserRecord } from '../../../domain/accounts/user.ts';
import type { NetworkRecord } from '../../../domain/network.ts';
import { oneLine } from '../../../domain/text/terminal-text.ts';
import { wrongUsage } from '../../exit-codes.ts';
import { note, say } from '../../output.ts';
import { openPrompt } from '../../prompt.ts';
import { isAddress } from '../../readers.ts';
import { lineOfInput } from '../../text-argument.ts';
import { type HubClient, hubClient } from '../hub-client.ts';
import { findNetwork, loginUrl, overridingVariables, tokenOption } from './access.ts';
import {
  type Contexts,
  contextsFile,
  contextsOf,
  type NamedContext,
  readContexts,
  storeContext,
  useContext,
} from './contexts.ts';
import type { HubOptions } from './hub-options.ts';
import { freshNetworkToken, revokeTokens } from './tokens.ts';

export type LoginOptions = HubOptions & { username?: string; passwordStdin?: true; context?: string };

type Login = { user: UserRecord; token: string; token_id?: string; network_id: string | null };

export async function login(address: string | undefined, options: LoginOptions): Promise<void> {
  const known = readKnown();
  const url = await loginUrl(address, options, known);
  const name = options.context ?? contextIn(options) ?? contextsOf(url, known)[0]?.name ?? new URL(url).host;
  const signedIn = await signIn(url, { ...usernameIn(known.contexts[name], options), ...options });
  const hub = hubClient(url, signedIn.token);
  const network = await chooseNetwork(hub, options.network ?? signedIn.network_id);
  const context = await contextFor({ name, url, signedIn, network });
  await keep(hub, context, known);
  const previous = known.contexts[name];
  if (previous !== undefined) await revokeTokens(hubClient(previous.url, previous.user_token), previous);
  say(
    oneLine(
      `signed in to ${url} as ${signedIn.user.username}${network === undefined ? '' : `, in the network ${network.network_name}`}`,
    ),
  );
  if (network === undefined) note('you are not a member of a network yet; join one in the console, then log in again');
  warnOfEnvironment();
}

function contextIn({ hub }: LoginOptions): string | undefined {
  return hub === undefined || isAddress(hub) ? undefined : hub;
}

/** Of a context that an option names, where nobody can be asked. */
function usernameIn(context: Contexts['contexts'][string] | undefined, options: LoginOptions): { username?: string } {
  const isNamed = (options.context ?? contextIn(options)) !== undefined;
  return isNamed && options.passwordStdin && context !== undefined ? { username: context.username } : {};
}

// A file that cannot be read is about to be replaced. Tokens that it may contain stay valid until they expire.
function readKnown(): Contexts {
  contextsFile(); // throws if the user has no home directory, before a token is created that cannot be kept
  try {
    return readContexts();
  } catch {
    return { current: null, contexts: {} };
  }
}

/** Prompts for a password only after the hub has responded. */
async function signIn(url: string, options: LoginOptions): Promise<Login> {
  const token = tokenOption(options);
  if (token !== undefined) return signInWith(url, token);
  const hub = hubClient(url, undefined);
  return hub.post('/api/auth/login', await credentials(options, () => hub.get('/health')));
}

/** Without the id of the token, so that logging out does not revoke it: login has not created it. */
async function signInWith(url: string, token: string): Promise<Login> {
  if (!token.startsWith('utok_'))
    throw wrongUsage('login needs a user token (utok_…); a network token (ntok_…) needs no login: pass it as it is');
  const { user } = await hubClient(url, token).get<{ user: UserRecord }>('/api/auth/me');
  return { user, token, network_id: null };
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

/** Returns the requested network, or the user's first one. */
async function chooseNetwork(hub: HubClient, wanted: string | null): Promise<NetworkRecord | undefined> {
  if (wanted !== null) return findNetwork(hub, wanted);
  const { networks } = await hub.getAll<{ networks: NetworkRecord[] }>('/api/networks', 'networks');
  return networks[0];
}

type SignedIn = { name: string; url: string; signedIn: Login; network: NetworkRecord | undefined };

async function contextFor({ name, url, signedIn, network }: SignedIn): Promise<NamedContext> {
  const { user, token, token_id } = signedIn;
  const known = { name, url, username: user.username, user_token: token, ...(token_id && { user_token_id: token_id }) };
  if (network === undefined) return { ...known, networks: {} };
  const created = await freshNetworkToken(hubClient(url, token), network.network_id);
  return { ...known, network_id: network.network_id, networks: { [network.network_id]: created } };
}

/** Revokes the tokens if they cannot be stored. */
async function keep(hub: HubClient, context: NamedContext, known: Contexts): Promise<void> {
  try {
    storeContext(context, known);
    useContext(context.name);
  } catch (error) {
    await revokeTokens(hub, context);
    throw error;
  }
}

function warnOfEnvironment(): void {
  const set = overridingVariables();
  if (set.length > 0)
    note(
      `${set.join(' and ')} in your environment ${set.length === 1 ? 'takes' : 'take'} precedence over ${contextsFile()}`,
    );
}
