// Selects the hub, the tokens and the network of a command: its options come first, then the environment, then the
// context in use. A token is only sent to the hub that it was given for.
import type { NetworkRecord } from '../../../domain/network.ts';
import { oneLine } from '../../../domain/text/terminal-text.ts';
import { localHub, runningHubOn } from '../../data/running-hub.ts';
import { CommandError, notSignedIn, wrongUsage } from '../../exit-codes.ts';
import { isAddress } from '../../readers.ts';
import { type HubClient, hubClient } from '../hub-client.ts';
import {
  type Context,
  type Contexts,
  contextsOf,
  currentContext,
  type NamedContext,
  namedContext,
  storeContext,
} from './contexts.ts';
import type { HubOptions } from './hub-options.ts';
import { textIn } from './private-file.ts';
import { freshNetworkToken } from './tokens.ts';

const DEFAULT_URL = 'http://127.0.0.1:4747';

const { env } = process;

/**
 * The tokens are undefined if there are none for this hub. `networkId` is set if it is known, and `isGiven` if the
 * token is from an option or the environment.
 */
export type Access = {
  url: string;
  userToken?: string | undefined;
  networkToken?: string | undefined;
  networkId?: string | undefined;
  context?: NamedContext;
  isGiven?: true;
};

export async function access(options: HubOptions = {}): Promise<Access> {
  const { url, context, isNamed } = await selectHub(options);
  const token = givenToken(options, { url, isNamed });
  if (token !== undefined) return inNetwork({ url, isGiven: true, ...token }, options.network);
  const signedIn = context ?? onlyContextOf(url);
  return signedIn === undefined ? { url } : inNetwork(accessOf(signedIn), options.network);
}

/** `isNamed`: an option names the context, so the environment does not change its token. */
type Selected = { url: string; context?: NamedContext; isNamed?: true | undefined };

async function selectHub({ hub, data }: HubOptions): Promise<Selected> {
  if (hub !== undefined)
    return isAddress(hub) ? { url: readUrl(hub, '--hub') } : { ...at(namedContext(hub)), isNamed: true };
  if (data !== undefined) return { url: await runningHubOn(data) };
  if (env.AGENTHUB_URL !== undefined) return { url: readUrl(env.AGENTHUB_URL, 'AGENTHUB_URL') };
  if (env.AGENTHUB_CONTEXT) return at(namedContext(env.AGENTHUB_CONTEXT));
  const current = currentContext();
  return current === undefined ? { url: (await localHub()) ?? DEFAULT_URL } : at(current);
}

function at(context: NamedContext): Selected {
  return { url: context.url, context };
}

function onlyContextOf(url: string): NamedContext | undefined {
  const [first, second] = contextsOf(url);
  if (second === undefined || first?.name === currentContext()?.name) return first;
  throw wrongUsage(`the contexts ${first?.name} and ${second.name} are for ${url}; name one of them with --hub`);
}

function accessOf(context: NamedContext): Access {
  const { url, user_token: userToken, network_id: networkId, networks } = context;
  return { url, userToken, networkId, context, networkToken: tokenFor(networks, networkId) };
}

function tokenFor(networks: Context['networks'], networkId: string | undefined): string | undefined {
  return networkId === undefined ? undefined : networks[networkId]?.token;
}

type Token = Pick<Access, 'userToken' | 'networkToken'>;

/** A token of the environment is for the hub of the environment, if it names one. */
function givenToken(options: HubOptions, { url, isNamed }: Selected): Token | undefined {
  const [token, source] = tokenOf(options);
  if (token === undefined || token === '') return undefined;
  const isFromEnvironment = source.startsWith('AGENTHUB_');
  if (isFromEnvironment && (isNamed || isForOtherHub(url))) return undefined;
  if (token.startsWith('ntok_')) return { networkToken: token };
  if (token.startsWith('utok_')) return { userToken: token };
  throw notSignedIn(`${source} is not a token: it must begin with ntok_ or utok_`);
}

function isForOtherHub(url: string): boolean {
  return env.AGENTHUB_URL !== undefined && readUrl(env.AGENTHUB_URL, 'AGENTHUB_URL') !== url;
}

function tokenOf(options: HubOptions): [token: string | undefined, source: string] {
  const token = tokenOption(options);
  if (token !== undefined) return [token, options.token === undefined ? '--token-file' : '--token'];
  if (env.AGENTHUB_TOKEN !== undefined) return [env.AGENTHUB_TOKEN, 'AGENTHUB_TOKEN'];
  const file = env.AGENTHUB_TOKEN_FILE;
  return [file === undefined ? undefined : tokenInFile(file, 'AGENTHUB_TOKEN_FILE'), 'AGENTHUB_TOKEN_FILE'];
}

/** The token of the options, without that of the environment. */
export function tokenOption({ token, tokenFile }: HubOptions): string | undefined {
  return token ?? (tokenFile === undefined ? undefined : tokenInFile(tokenFile, '--token-file'));
}

function tokenInFile(file: string, source: string): string {
  const text = textIn(file)?.trim();
  if (text === undefined) throw notSignedIn(`${source} names ${file}, which does not exist`);
  if (text === '') throw notSignedIn(`${source} names ${file}, which contains no token`);
  return text;
}

async function inNetwork(given: Access, wanted: string | undefined): Promise<Access> {
  if (wanted === undefined) return given;
  if (given.userToken === undefined)
    throw wrongUsage('--network needs a user token or a login; a network token works in its own network only');
  const { network_id } = await findNetwork(hubClient(given.url, given.userToken), wanted);
  const { context } = given;
  return { ...given, networkId: network_id, networkToken: context && tokenFor(context.networks, network_id) };
}

/** Returns the network of the user with this name or id. */
export async function findNetwork(hub: HubClient, wanted: string): Promise<NetworkRecord> {
  const { networks } = await hub.getAll<{ networks: NetworkRecord[] }>('/api/networks', 'networks');
  const byId = networks.find(({ network_id }) => network_id === wanted);
  const [byName, other] = networks.filter(({ network_name }) => network_name === wanted);
  if (byId === undefined && other !== undefined)
    throw wrongUsage(`more than one of your networks is named ${wanted}; give the id that agenthub whoami shows`);
  const found = byId ?? byName;
  if (found === undefined)
    throw new CommandError(
      `you are not a member of network ${wanted}; your networks: ${networks.map(({ network_name }) => oneLine(network_name)).join(', ')}`,
    );
  return found;
}

/** The hub to sign in to: the one named, or else that of the context in use, or else the one that runs here. */
export async function loginUrl(
  address: string | undefined,
  { hub, data }: HubOptions,
  known: Contexts,
): Promise<string> {
  if (address !== undefined && hub !== undefined) throw wrongUsage('give the address of the hub once: as URL or --hub');
  if (address !== undefined) return readUrl(address, 'the address');
  if (hub !== undefined) return isAddress(hub) ? readUrl(hub, '--hub') : namedContext(hub, known).url;
  if (data !== undefined) return runningHubOn(data);
  if (env.AGENTHUB_URL !== undefined) return readUrl(env.AGENTHUB_URL, 'AGENTHUB_URL');
  return currentContext(known)?.url ?? (await localHub()) ?? DEFAULT_URL;
}

/** The environment variables that are set and override the context in use. */
export function overridingVariables(): string[] {
  return ['AGENTHUB_URL', 'AGENTHUB_CONTEXT', 'AGENTHUB_TOKEN', 'AGENTHUB_TOKEN_FILE'].filter(
    (name) => env[name] !== undefined,
  );
}

/** Normalizes an http or https address: no query and no trailing slash. */
export function readUrl(text: string, spelling: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw wrongUsage(`${spelling} is "${text}" but must be an address like ${DEFAULT_URL}`);
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

export const HOW_TO_SIGN_IN = 'run agenthub login, or set AGENTHUB_URL and AGENTHUB_TOKEN';

/** A client for network data, with the network token or else the user token. */
export async function networkHub(options: HubOptions): Promise<HubClient> {
  const { url, networkToken, userToken, networkId } = await access(options);
  if (networkToken !== undefined) return hubClient(url, networkToken);
  if (userToken === undefined) throw notSignedIn(`not signed in to ${url}; ${HOW_TO_SIGN_IN}`);
  return hubClient(url, userToken, { networkId });
}

/** A client for agent operations, which require a network token. */
export async function agentHub(options: HubOptions): Promise<HubClient> {
  const { url, token } = await agentAccess(options);
  return hubClient(url, token);
}

/** Like `agentHub`, but returns the address and the token. */
export async function agentAccess(options: HubOptions): Promise<{ url: string; token: string }> {
  const found = await access(options);
  const token = await networkTokenFor(found);
  if (token === undefined) throw notSignedIn(`this needs a network token (ntok_…) for ${found.url}; ${HOW_TO_SIGN_IN}`);
  return { url: found.url, token };
}

/**
 * A context gets a token for a network when an agent works there for the first time. Undefined without a context and a
 * network token.
 */
export async function networkTokenFor(found: Access): Promise<string | undefined> {
  const { url, networkToken, userToken, networkId, context } = found;
  if (networkToken !== undefined) return networkToken;
  if (context === undefined || userToken === undefined || networkId === undefined) return undefined;
  const created = await freshNetworkToken(hubClient(url, userToken), networkId);
  storeContext({ ...context, networks: { ...context.networks, [networkId]: created } });
  return created.token;
}
