// Reads which hooks connect has installed, and for which agents.
import type { Client, HookInstallation } from '../../domain/clients/client.ts';
import { CLIENTS, CONNECT_NAMES, type ConnectName } from '../../domain/clients/clients.ts';
import { type Agent, SCOPES, type Scope } from '../../domain/clients/setup.ts';
import { readRecords } from '../client/access/connection-records.ts';
import { CommandError } from '../exit-codes.ts';
import { fileOf } from './client-files.ts';
import { agentIn, isOwnLine } from './command-line.ts';
import { agentOfPlugin } from './opencode-plugin.ts';
import { contentOfFile, targetOf } from './replace-file.ts';
import { readLenient } from './text/json-text.ts';

export function installationOf(name: ConnectName): HookInstallation | undefined {
  const { hooks }: Client = CLIENTS[name];
  return hooks?.installation;
}

/** The agent of each hook that connect has installed; undefined for one of an earlier version, which names no hub. */
export function installedHooks(client: ConnectName, scope: Scope): (Agent | undefined)[] {
  const file = hookFileOf(client, scope);
  if (file === undefined) return [];
  if (installationOf(client)?.layout === 'plugin') return presentAgents(file);
  return stringsIn(readLenient(contentOfFile(file).toString()))
    .filter((line) => isOwnLine(line))
    .map(agentIn);
}

export type OtherHooks = { file: string; scope: Scope; agents: readonly Agent[] };

/** The hooks of the client in the other scope, which it runs as well. Undefined if there are none, or none readable. */
export function otherHooks(client: ConnectName, own: Scope): OtherHooks | undefined {
  const scope = own === 'user' ? 'project' : 'user';
  const [file, ownFile] = [hookFileOf(client, scope), hookFileOf(client, own)];
  if (file === undefined || ownFile === undefined || targetOf(file) === targetOf(ownFile)) return undefined;
  const installed = unlessUnreadable(() => installedHooks(client, scope)) ?? [];
  const agents = installed.filter((agent) => agent !== undefined);
  return agents.length > 0 ? { file, scope, agents } : undefined;
}

function hookFileOf(client: ConnectName, scope: Scope): string | undefined {
  const installation = installationOf(client);
  return installation && fileOf(CLIENTS[client], installation.files, scope);
}

function unlessUnreadable<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

/** `unreadable` may name more agents. */
export type HookedAgents = { agents: Agent[]; unreadable: string[] };

/** The agents of all hooks that clients have for this user, in this directory and in all files that are recorded. */
export function hookedAgents(): HookedAgents {
  const files = CONNECT_NAMES.flatMap((name) => SCOPES.flatMap((scope) => hookFileOf(name, scope) ?? []));
  const found: HookedAgents = { agents: [], unreadable: [] };
  for (const file of new Set([...files, ...Object.keys(readRecords())])) {
    const agents = unlessUnreadable(() => presentAgents(file));
    if (agents === undefined) found.unreadable.push(file);
    else found.agents.push(...agents);
  }
  return found;
}

/** The agents of the hooks in the file, and of those that connect has written to it, which may be gone. */
export function agentsIn(file: string): readonly Agent[] {
  const recorded = readRecords()[targetOf(file)]?.agents ?? [];
  return [...presentAgents(file), ...recorded];
}

function presentAgents(file: string): Agent[] {
  return agentsOf(file, contentOfFile(file).toString());
}

/** The agents of the hooks in the text of a file. */
export function agentsOf(file: string, text: string): Agent[] {
  if (file.endsWith('.js')) return [agentOfPlugin(text)].filter((agent) => agent !== undefined);
  return stringsIn(readLenient(text)).flatMap((line) => agentIn(line) ?? []);
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
