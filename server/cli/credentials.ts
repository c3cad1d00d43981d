// Which hub to speak to, and as whom: AGENTHUB_URL and AGENTHUB_TOKEN when set, else what `agenthub login` stored in a
// file that only its owner can read. A stored token is never sent to another hub than the one it came from.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { notSignedIn, wrongUsage } from './exit-codes.ts';
import { hubClient, type HubClient } from './hub-client.ts';

export const DEFAULT_URL = 'http://127.0.0.1:4747';

export type Environment = Readonly<Partial<Record<string, string>>>;

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

export type Access = { url: string; userToken?: string | undefined; networkToken?: string | undefined; networkId?: string | undefined };

export function credentialsFile(env: Environment): string {
  const home = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(env.HOME ?? homedir(), '.config');
  return join(home, 'agenthub', 'credentials.json');
}

/** Undefined when nobody is signed in. */
export function readStored(env: Environment): StoredCredentials | undefined {
  const file = credentialsFile(env);
  const text = textIn(file);
  if (text === undefined) return undefined;
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), storedCredentials), text);
  if (!result.success) throw notSignedIn(`${file} is damaged; agenthub login writes it anew`);
  if ((statSync(file).mode & 0o077) !== 0) process.stderr.write(`agenthub: others can read ${file}; make it yours alone with chmod 600\n`);
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

/** Renamed into place, so that the file is at every moment the old or the new one. */
export function store(env: Environment, credentials: StoredCredentials): void {
  const file = credentialsFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function forget(env: Environment): void {
  rmSync(credentialsFile(env), { force: true });
}

export function accessIn(env: Environment): Access {
  const given = tokenIn(env);
  const stored = given === undefined || env.AGENTHUB_URL === undefined ? readStored(env) : undefined;
  const url = env.AGENTHUB_URL === undefined ? (stored?.url ?? DEFAULT_URL) : readUrl(env.AGENTHUB_URL, 'AGENTHUB_URL');
  if (given !== undefined) return { url, ...given };
  if (stored?.url !== url) return { url };
  return { url, userToken: stored.user_token, networkToken: stored.network_token, networkId: stored.network_id };
}

function tokenIn(env: Environment): Pick<Access, 'userToken' | 'networkToken'> | undefined {
  const token = env.AGENTHUB_TOKEN ?? (env.AGENTHUB_TOKEN_FILE === undefined ? undefined : textIn(env.AGENTHUB_TOKEN_FILE)?.trim());
  if (token === undefined || token === '') return undefined;
  if (token.startsWith('ntok_')) return { networkToken: token };
  if (token.startsWith('utok_')) return { userToken: token };
  throw notSignedIn('AGENTHUB_TOKEN is no token: it must begin with ntok_ or utok_');
}

/** An address as the client uses it: http or https, without a slash at its end. */
export function readUrl(text: string, spelling: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw wrongUsage(`${spelling} is "${text}" but must be an address like ${DEFAULT_URL}`);
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

const HOW = 'agenthub login signs in, or set AGENTHUB_URL and AGENTHUB_TOKEN';

/** For the records of a network: the network's own token, or the person's. */
export function networkHub(env: Environment = process.env): HubClient {
  const { url, networkToken, userToken } = accessIn(env);
  if (networkToken === undefined && userToken === undefined) throw notSignedIn(`not signed in to ${url}; ${HOW}`);
  return hubClient(url, networkToken ?? userToken);
}

/** For what agents do themselves, which takes a network token. */
export function agentHub(env: Environment = process.env): HubClient {
  const { url, networkToken } = accessIn(env);
  if (networkToken === undefined) throw notSignedIn(`this needs a network token (ntok_…) for ${url}; ${HOW}`);
  return hubClient(url, networkToken);
}
