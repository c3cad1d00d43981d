// The network tokens that `connect --hooks` stores for the agents on this machine, by hub and alias, in a file that
// only its owner can read. Hooks run where no one has signed in, and their command lines are visible to others.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { CommandError, notSignedIn } from '../../exit-codes.ts';
import { pluginConnection, referencedToken } from '../hook-environment.ts';
import { type HubClient, hubClient } from '../hub-client.ts';
import { access, HOW_TO_SIGN_IN, networkTokenFor } from './access.ts';
import type { HubOptions } from './hub-options.ts';
import { configurationDirectory, writePrivate } from './private-file.ts';

const agentTokens = v.record(v.string(), v.record(v.string(), v.string()));
type AgentTokens = v.InferOutput<typeof agentTokens>;

export function agentTokensFile(): string {
  return join(configurationDirectory(), 'agents.json');
}

function read(): AgentTokens {
  try {
    return v.parse(agentTokens, JSON.parse(readFileSync(agentTokensFile(), 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new CommandError(`cannot read ${agentTokensFile()}; delete it, and run agenthub connect again`);
  }
}

export function storeAgentToken({ url, alias, token }: { url: string; alias: string; token: string }): void {
  const all = read();
  writePrivate(agentTokensFile(), { ...all, [url]: { ...all[url], [alias]: token } });
}

export function forgetAgentTokens(agents: readonly { url: string; alias: string }[]): void {
  if (agents.length === 0) return;
  const isKept = (url: string, alias: string) => !agents.some((each) => each.url === url && each.alias === alias);
  const left = Object.entries(read()).flatMap(([url, tokens]) => {
    const kept = Object.entries(tokens).filter(([alias]) => isKept(url, alias));
    return kept.length > 0 ? [[url, Object.fromEntries(kept)] as const] : [];
  });
  if (left.length > 0) writePrivate(agentTokensFile(), Object.fromEntries(left));
  else rmSync(agentTokensFile(), { force: true });
}

export type AgentOptions = HubOptions & { alias: string; url?: string | undefined };

/** How `connect` may have stored the token of an agent: a client and an option each. */
export type ConnectForms = readonly string[];

export async function hubOf(options: AgentOptions, forms: ConnectForms = []): Promise<HubClient> {
  const { url, token } = await connectionOf(options);
  const { alias } = options;
  const remedy = tokenRemedy(alias, forms);
  if (token === undefined) throw notSignedIn(`no token for ${alias} at ${url}; ${remedy}`);
  return hubClient(url, token, { remedy });
}

/** A login does not replace the token that `connect` has stored for the agent. */
function tokenRemedy(alias: string, forms: ConnectForms): string {
  const commands = forms.map((form) => `agenthub connect ${form} --write --alias ${alias}`);
  return commands.length === 0 ? HOW_TO_SIGN_IN : `run ${commands.join(', or ')}`;
}

/**
 * The hub of an agent: the one named, or else that of the plugin, or else the one in use. A token of the options or of
 * the environment comes first, then the stored token of the agent, and the token of a person last.
 */
export async function connectionOf({
  alias,
  url: address,
  ...options
}: AgentOptions): Promise<{ url: string; token: string | undefined }> {
  const selecting = address === undefined ? options : { ...options, hub: address };
  const plugin = pluginConnection();
  if (plugin !== undefined && Object.keys(selecting).length === 0) return plugin;
  const found = await access(selecting);
  const { url } = found;
  const own = found.isGiven || options.network !== undefined ? undefined : (read()[url]?.[alias] ?? referencedToken());
  return { url, token: own ?? (await networkTokenFor(found)) };
}
