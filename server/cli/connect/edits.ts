// Computes the file edits of `connect`: the new text of each file. All other content of a file is kept.
import { existsSync } from 'node:fs';
import type { Approvals, Client, HookInstallation } from '../../domain/clients/client.ts';
import { CLIENTS, CONNECT_NAMES, type ConnectName, configurationOf } from '../../domain/clients/clients.ts';
import { type Agent, type Files, SCOPES, type Scope } from '../../domain/clients/setup.ts';
import { CommandError } from '../exit-codes.ts';
import { withApprovals, withoutApprovals } from './approvals.ts';
import { fileOf } from './client-files.ts';
import { agentIn } from './command-line.ts';
import { withHooks, withoutHooks } from './hook-entries.ts';
import { JsonSyntaxError, readLenient } from './json-text.ts';
import { agentOfPlugin, openCodePlugin } from './opencode-plugin.ts';
import { type FileChange, textOfFile } from './replace-file.ts';
import { withEntry, withoutEntry } from './server-entry.ts';
import { TomlFormError } from './toml-text.ts';

/** The connection of one client to one hub. */
export type Connection = Agent & { client: ConnectName; token: string; scope: Scope; hasHooks: boolean };

/** `alone` is the text for a new file, which a person can also paste. */
export type FileEdit = FileChange & { alone: string };

type Edit = (text: string) => string;
type Step = readonly [files: Files, edit: Edit];

export function editsFor(connection: Connection): FileEdit[] {
  const { client, scope, hasHooks } = connection;
  const configuration = configurationOf(client);
  const installation = hasHooks ? installationOf(client) : undefined;
  const steps: Step[] = [[configuration.files, (text) => withEntry(text, configuration, connection)]];
  if (installation !== undefined)
    steps.push([installation.files, (text) => withInstallation(text, installation, connection)]);
  const approvals = approvalsOf(client, scope);
  if (approvals !== undefined) steps.push([inHome(approvals), (text) => withApprovals(text, approvals)]);
  return inFiles(client, steps, scope).map(([file, edit]) => {
    const [text, alone] = [edited(file, edit), edit('')];
    return { file, text, alone, isSecret: alone.includes(connection.token) };
  });
}

/** `agents` are those that the removed hooks belonged to. */
export type Removal = FileChange & { agents: readonly Agent[] };

/** The edits that take back what `editsFor` has written. A file that then has no content is deleted. */
export function removalsFor(client: ConnectName, scope: Scope): Removal[] {
  const configuration = configurationOf(client);
  const installation = installationOf(client);
  const steps: Step[] = [[configuration.files, (text) => withoutEntry(text, configuration)]];
  if (installation !== undefined)
    steps.push([installation.files, (text) => withoutInstallation(text, installation, scope)]);
  const approvals = approvalsOf(client, scope);
  if (approvals !== undefined) steps.push([inHome(approvals), (text) => withoutApprovals(text, approvals)]);
  return inFiles(client, steps, scope)
    .filter(([file]) => existsSync(file))
    .map(([file, edit]) => {
      const text = edited(file, edit);
      return { file, text: isBare(text) ? undefined : text, isSecret: false, agents: agentsIn(file) };
    })
    .filter(({ file, text }) => textOfFile(file) !== text);
}

/** One edit for each file: the configuration and the hooks of a client may be in the same. */
function inFiles(client: ConnectName, steps: readonly Step[], scope: Scope): [file: string, edit: Edit][] {
  const byFile = Map.groupBy(steps, ([files]) => fileOf(CLIENTS[client], files, scope));
  return Array.from(byFile, ([file, edits]) => [
    file,
    (text) => edits.reduce((changed, [, next]) => next(changed), text),
  ]);
}

function installationOf(name: ConnectName): HookInstallation | undefined {
  const { hooks }: Client = CLIENTS[name];
  return hooks?.installation;
}

/** Those of a project are the decision of each of its people. */
function approvalsOf(name: ConnectName, scope: Scope): Approvals | undefined {
  const { approvals }: Client = CLIENTS[name];
  return scope === 'user' ? approvals : undefined;
}

function inHome({ file }: Approvals): Files {
  return { user: file, project: file };
}

function withInstallation(text: string, installation: HookInstallation, connection: Connection): string {
  return installation.layout === 'plugin' ? openCodePlugin(connection) : withHooks(text, installation, connection);
}

function withoutInstallation(text: string, installation: HookInstallation, scope: Scope): string {
  if (installation.layout === 'plugin') return agentOfPlugin(text) === undefined ? text : '';
  return text.trim() === '' ? text : withoutHooks(text, installation, scope);
}

/** The agents of all hooks that clients have for this user and in this directory. */
export function hookedAgents(): Agent[] {
  const files = CONNECT_NAMES.flatMap((name) => {
    const installation = installationOf(name);
    if (installation === undefined) return [];
    return SCOPES.map((scope) => fileOf(CLIENTS[name], installation.files, scope));
  });
  return [...new Set(files)].filter((file) => existsSync(file)).flatMap(agentsIn);
}

function agentsIn(file: string): Agent[] {
  const text = textOfFile(file);
  if (file.endsWith('.js')) return [agentOfPlugin(text)].filter((agent) => agent !== undefined);
  return stringsIn(readLenient(text)).flatMap((line) => agentIn(line) ?? []);
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Whether nothing is left but what a new file would begin with. */
export function isBare(text: string): boolean {
  return /^\s*(?:\{\s*(?:"version"\s*:\s*1\s*)?\}\s*)?$/.test(text);
}

/** Applies the edit to the text of a person's file. Says how to proceed if it is not in the expected form. */
export function edited(file: string, edit: Edit): string {
  try {
    return edit(textOfFile(file));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof TomlFormError)) throw error;
    throw new CommandError(
      `${file} was not changed: ${error.message}; fix it, or add the output of agenthub connect without --write by hand`,
    );
  }
}
