// The network tokens that `connect --hooks` stores for the agents on this machine, by hub and alias, in a file that only
// its owner can read. Hooks run where no one has signed in, and their command lines are visible to others.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { CommandError, notSignedIn } from '../../exit-codes.ts';
import { access, isTokenGiven } from './access.ts';
import { contextsFile } from './contexts.ts';
import { pluginConnection, referencedToken } from '../hook-environment.ts';
import { type HubClient, hubClient } from '../hub-client.ts';

const agentTokens = v.record(v.string(), v.record(v.string(), v.string()));
type AgentTokens = v.InferOutput<typeof agentTokens>;

export function agentTokensFile(): string {
  return join(dirname(contextsFile()), 'agents.json');
}

function read(): AgentTokens {
  try {
    return v.parse(agentTokens, JSON.parse(readFileSync(agentTokensFile(), 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new CommandError(`cannot read ${agentTokensFile()}; run agenthub connect again, or delete it`);
  }
}

function write(all: AgentTokens): void {
  const file = agentTokensFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function storeAgentToken({ url, alias, token }: { url: string; alias: string; token: string }): void {
  const all = read();
  write({ ...all, [url]: { ...all[url], [alias]: token } });
}

export function forgetAgentTokens(agents: readonly { url: string; alias: string }[]): void {
  if (agents.length === 0) return;
  const isKept = (url: string, alias: string) => !agents.some((each) => each.url === url && each.alias === alias);
  const left = Object.entries(read()).flatMap(([url, tokens]) => {
    const kept = Object.entries(tokens).filter(([alias]) => isKept(url, alias));
    return kept.length > 0 ? [[url, Object.fromEntries(kept)] as const] : [];
  });
  if (left.length > 0) write(Object.fromEntries(left));
  else rmSync(agentTokensFile(), { force: true });
}

/**
 * The hub of an agent: the one named, or else that of the plugin, or else the one in use. AGENTHUB_TOKEN comes first,
 * then the stored token of the agent, and the token of a person last.
 */
export async function hubOf({ alias, url: named }: { alias: string; url: string | undefined }): Promise<HubClient> {
  const plugin = pluginConnection();
  if (named === undefined && plugin !== undefined) return hubClient(plugin.url, plugin.token);
  const { url, networkToken } = await access(named === undefined ? {} : { hub: named });
  const token = isTokenGiven() ? networkToken : (read()[url]?.[alias] ?? referencedToken() ?? networkToken);
  if (token === undefined)
    throw notSignedIn(`no token for ${alias} at ${url}; run agenthub connect CLIENT --hooks --write --alias ${alias}`);
  return hubClient(url, token);
}
