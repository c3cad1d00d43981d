// Which hub to speak to, and as whom: AGENTHUB_URL and AGENTHUB_TOKEN when set, else what `agenthub login` stored in a
// file that only its owner can read. A stored token is never sent to another hub than the one it came from.
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

/** Undefined when nobody is signed in. */
export function readStored(): StoredCredentials | undefined {
  const file = credentialsFile();
  const text = textIn(file);
  if (text === undefined) return undefined;
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), storedCredentials), text);
  if (!result.success) throw notSignedIn(`${file} is damaged; agenthub login writes it anew`);
  if ((statSync(file).mode & 0o077) !== 0) note(`others can read ${file}; make it yours alone with chmod 600`);
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
  const file = credentialsFile();
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Renamed into place: at every moment it is the old file or the new one.
    writeFileSync(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new CommandError(
      `cannot write ${file} (${error instanceof Error ? error.message : 'unknown reason'}); XDG_CONFIG_HOME names another place`,
    );
  }
}

export function forget(): void {
  rmSync(credentialsFile(), { force: true });
}

export function access(): Access {
  const given = tokenGiven();
  const stored = given === undefined || env.AGENTHUB_URL === undefined ? readStored() : undefined;
  const url = env.AGENTHUB_URL === undefined ? (stored?.url ?? DEFAULT_URL) : readUrl(env.AGENTHUB_URL, 'AGENTHUB_URL');
  if (given !== undefined) return { url, ...given };
  if (stored?.url !== url) return { url };
  return { url, userToken: stored.user_token, networkToken: stored.network_token, networkId: stored.network_id };
}

function tokenGiven(): Pick<Access, 'userToken' | 'networkToken'> | undefined {
  const token = env.AGENTHUB_TOKEN ?? tokenInFile(env.AGENTHUB_TOKEN_FILE);
  if (token === undefined || token === '') return undefined;
  if (token.startsWith('ntok_')) return { networkToken: token };
  if (token.startsWith('utok_')) return { userToken: token };
  throw notSignedIn('AGENTHUB_TOKEN is no token: it must begin with ntok_ or utok_');
}

function tokenInFile(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const text = textIn(file)?.trim();
  if (!text) throw notSignedIn(`AGENTHUB_TOKEN_FILE names ${file}, which has no token in it`);
  return text;
}

/** The hub that a login without an address is for. */
export function loginUrl(stored: StoredCredentials | undefined): string {
  return env.AGENTHUB_URL ?? stored?.url ?? DEFAULT_URL;
}

/** The variables that win over the stored credentials, as far as they are set. */
export function overridingVariables(): string[] {
  return ['AGENTHUB_URL', 'AGENTHUB_TOKEN', 'AGENTHUB_TOKEN_FILE'].filter((name) => env[name] !== undefined);
}

/** An address as the client uses it: http or https, without a slash at its end. */
export function readUrl(text: string, spelling: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw wrongUsage(`${spelling} is "${text}" but must be an address like ${DEFAULT_URL}`);
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

const HOW = 'agenthub login signs in, or set AGENTHUB_URL and AGENTHUB_TOKEN';

/** For the records of a network: the network's own token, or the person's. */
export function networkHub(): HubClient {
  const { url, networkToken, userToken } = access();
  if (networkToken === undefined && userToken === undefined) throw notSignedIn(`not signed in to ${url}; ${HOW}`);
  return hubClient(url, networkToken ?? userToken);
}

/** For what agents do themselves, which takes a network token. */
export function agentHub(): HubClient {
  const { url, token } = agentAccess();
  return hubClient(url, token);
}

export function agentAccess(): { url: string; token: string } {
  const { url, networkToken } = access();
  if (networkToken === undefined) throw notSignedIn(`this needs a network token (ntok_…) for ${url}; ${HOW}`);
  return { url, token: networkToken };
}
