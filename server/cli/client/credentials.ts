// Selects the hub and the tokens to use: AGENTHUB_URL and AGENTHUB_TOKEN if set, otherwise the credentials stored by
// `agenthub login` in a file that only its owner can read. A stored token is only sent to the hub that issued it.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { CommandError, notSignedIn, wrongUsage } from '../exit-codes.ts';
import { note } from '../output.ts';
import { type HubClient, hubClient } from './hub-client.ts';

const DEFAULT_URL = 'http://127.0.0.1:4747';

const { env } = process;

const storedCredentials = v.object({
  url: v.string(),
  username: v.string(),
  user_token: v.string(),
  user_token_id: v.optional(v.string()),
  network_token: v.optional(v.string()),
  network_token_id: v.optional(v.string()),
  network_id: v.optional(v.string()),
});
export type StoredCredentials = v.InferOutput<typeof storedCredentials>;

export type Access = {
  url: string;
  userToken?: string | undefined;
  networkToken?: string | undefined;
  networkId?: string | undefined;
};

export function credentialsFile(): string {
  const home = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(homedir(), '.config');
  return join(home, 'agenthub', 'credentials.json');
}

/** Returns undefined if not signed in. */
export function readStored(): StoredCredentials | undefined {
  const file = credentialsFile();
  const text = textIn(file);
  if (text === undefined) return undefined;
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), storedCredentials), text);
  if (!result.success) throw notSignedIn(`${file} is damaged; run agenthub login to replace it`);
  if ((statSync(file).mode & 0o077) !== 0) note(`${file} is readable by other users; run chmod 600 on it`);
  return result.output;
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw notSignedIn(`cannot read ${file} (${error instanceof Error ? error.message : 'unknown reason'})`);
  }
}

export function store(credentials: StoredCredentials): void {
  writePrivate(credentialsFile(), credentials);
}

/** Writes a file of agenthub that only its owner can read. */
export function writePrivate(file: string, value: object): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Renaming is atomic: a reader sees the old file or the new one.
    writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new CommandError(
      `cannot write ${file} (${error instanceof Error ? error.message : 'unknown reason'}); set XDG_CONFIG_HOME to use another directory`,
    );
  }
}

export function forget(): void {
  rmSync(credentialsFile(), { force: true });
}

/** `named` takes precedence over AGENTHUB_URL. */
export function access(named = env.AGENTHUB_URL): Access {
  const given = tokenGiven();
  const stored = given === undefined || named === undefined ? readStored() : undefined;
  const url =
    named === undefined
      ? (stored?.url ?? DEFAULT_URL)
      : readUrl(named, named === env.AGENTHUB_URL ? 'AGENTHUB_URL' : '--url');
  if (given !== undefined) return { url, ...given };
  if (stored?.url !== url) return { url };
  return { url, userToken: stored.user_token, networkToken: stored.network_token, networkId: stored.network_id };
}

export function isTokenGiven(): boolean {
  return tokenGiven() !== undefined;
}

function tokenGiven(): Pick<Access, 'userToken' | 'networkToken'> | undefined {
  const token = env.AGENTHUB_TOKEN ?? tokenInFile(env.AGENTHUB_TOKEN_FILE);
  if (token === undefined || token === '') return undefined;
  if (token.startsWith('ntok_')) return { networkToken: token };
  if (token.startsWith('utok_')) return { userToken: token };
  throw notSignedIn('AGENTHUB_TOKEN is not a token: it must begin with ntok_ or utok_');
}

function tokenInFile(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const text = textIn(file)?.trim();
  if (!text) throw notSignedIn(`AGENTHUB_TOKEN_FILE names ${file}, which contains no token`);
  return text;
}

/** The hub to sign in to when no address is given. */
export function loginUrl(stored: StoredCredentials | undefined): string {
  return env.AGENTHUB_URL ?? stored?.url ?? DEFAULT_URL;
}

/** The environment variables that are set and override the stored credentials. */
export function overridingVariables(): string[] {
  return ['AGENTHUB_URL', 'AGENTHUB_TOKEN', 'AGENTHUB_TOKEN_FILE'].filter((name) => env[name] !== undefined);
}

/** Normalizes an http or https address: no query and no trailing slash. */
export function readUrl(text: string, spelling: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw wrongUsage(`${spelling} is "${text}" but must be an address like ${DEFAULT_URL}`);
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

const HOW = 'run agenthub login, or set AGENTHUB_URL and AGENTHUB_TOKEN';

/** A client for network data, with the network token or else the user token. */
export function networkHub(): HubClient {
  const { url, networkToken, userToken } = access();
  if (networkToken === undefined && userToken === undefined) throw notSignedIn(`not signed in to ${url}; ${HOW}`);
  return hubClient(url, networkToken ?? userToken);
}

/** A client for agent operations, which require a network token. */
export function agentHub(): HubClient {
  const { url, token } = agentAccess();
  return hubClient(url, token);
}

export function agentAccess(): { url: string; token: string } {
  const { url, networkToken } = access();
  if (networkToken === undefined) throw notSignedIn(`this needs a network token (ntok_…) for ${url}; ${HOW}`);
  return { url, token: networkToken };
}
