// connect: prints or writes the configuration that an MCP client needs for this hub, or takes it back. It tests a round
// trip first, so that it never writes a configuration that does not work.
import type { Client } from '../../domain/clients/client.ts';
import { CLIENTS, type ConnectName, configurationOf } from '../../domain/clients/clients.ts';
import {
  type Agent,
  commandLines,
  type Scope,
  type Setup,
  TOKEN_VARIABLE,
  wakeLine,
} from '../../domain/clients/setup.ts';
import { WAKE_SENTENCES } from '../../domain/clients/wake-sentences.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { agentAccess } from '../client/access/access.ts';
import { forgetAgentTokens, storeAgentToken } from '../client/access/agent-tokens.ts';
import type { HubOptions } from '../client/access/hub-options.ts';
import { type HubClient, hubClient } from '../client/hub-client.ts';
import { CommandError, wrongUsage } from '../exit-codes.ts';
import { note, say } from '../output.ts';
import { printPlugin, removePlugin, writePlugin } from './claude-plugin/connect-plugin.ts';
import { oldVersionNote } from './client-version.ts';
import { type Connection, editsFor, newFilesFor, removalsFor } from './edits.ts';
import { agentsIn, hookedAgents, installedHooks, type OtherHooks, otherHooks } from './installed-hooks.ts';
import { type OwnedChange, removeRecorded, writeRecorded } from './recorded-change.ts';
import { type RoundTrip, testRoundTrip } from './round-trip.ts';
import { installedWaiter } from './waiter-script.ts';

export type ConnectOptions = HubOptions & {
  write?: true;
  scope?: Scope;
  alias?: string;
  hooks?: true;
  plugin?: true;
  remove?: true;
};

export async function connect(name: ConnectName, options: ConnectOptions): Promise<void> {
  const client: Client = CLIENTS[name];
  const { title } = client.setup;
  if (options.hooks && client.hooks?.installation === undefined)
    throw wrongUsage(`${title} has no hooks; omit --hooks`);
  if (options.plugin && name !== 'claude') throw wrongUsage(`--plugin is for Claude Code; omit it for ${title}`);
  const scope = options.scope ?? configurationOf(name).scope;
  if (options.remove) return say(options.plugin ? removePlugin() : remove(name, scope));
  const installed = options.plugin ? [] : readingFiles(options, () => installedHooks(name, scope));
  const hasHooks = options.hooks === true || (installed ?? []).length > 0;
  const { url, token } = await agentAccess(options);
  const hub = await byPublicAddress(hubClient(url, token), token);
  const outdated = hasHooks || options.plugin ? oldVersionNote(client) : undefined;
  if (outdated !== undefined) note(outdated);
  if (options.plugin) return connectPlugin(hub, token, options);
  const others = otherHooks(name, scope);
  const known = [...(installed ?? []), ...(others?.agents ?? [])].find((agent) => agent !== undefined);
  const alias = options.alias ?? known?.alias ?? name;
  const connection: Connection = { client: name, url: hub.url, token, scope, alias, hasHooks };
  const edits = installed && readingFiles(options, () => editsUnlessRivaled(connection, others));
  const roundTrip = await testRoundTrip(hub, connection.alias, { reports: options.write === true });
  say(options.write ? write(connection, edits ?? []) : print(connection));
  say(
    `\n${oneLine(roundTripLine(connection, roundTrip))}\n${oneLine(`Tell the agent its alias: ${connection.alias}`)}`,
  );
}

/** Only `--write` needs the files: what it would refuse is printed as well, so that a person can add it by hand. */
function readingFiles<Result>({ write: isWritten }: ConnectOptions, read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (isWritten || !(error instanceof CommandError)) throw error;
    note(`--write would refuse this: ${error.message}`);
    return undefined;
  }
}

/** A client runs the hooks of both scopes, so its session would change from one alias to the other with each event. */
function editsUnlessRivaled(connection: Connection, others: OtherHooks | undefined): OwnedChange[] {
  const { client, alias } = connection;
  const rival = others?.agents.find((agent) => agent.alias !== alias);
  if (others === undefined || rival === undefined) return editsFor(connection);
  const remedy = `agenthub connect ${client} --remove --scope ${others.scope}`;
  throw new CommandError(
    `${CLIENTS[client].setup.title} has hooks for ${rival.alias} in ${others.file}, and would run both; ` +
      `use that alias, or remove them first with: ${remedy}`,
  );
}

async function connectPlugin(
  hub: HubClient,
  token: string,
  { alias, write: isWritten }: ConnectOptions,
): Promise<void> {
  const connection = { url: hub.url, token, alias };
  const { tools } = await testRoundTrip(hub, alias ?? '', { reports: false });
  say(
    `${isWritten ? writePlugin(connection) : printPlugin(connection)}\n\nround trip to ${hub.url}: ${tools} tools listed`,
  );
}

/** Prefers the hub's public URL if it is reachable, because the output may be used on another machine. */
async function byPublicAddress(hub: HubClient, token: string): Promise<HubClient> {
  const { public_url } = await hub.get<{ public_url?: string }>('/health');
  if (public_url === undefined || public_url === hub.url) return hub;
  const publicHub = hubClient(public_url, token);
  try {
    await publicHub.get('/api/status');
    return publicHub;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    note(`the public URL of this hub, ${public_url}, is not reachable from this machine; using ${hub.url} instead`);
    return hub;
  }
}

/** Takes back what an earlier `connect --write` has written, with or without hooks. */
function remove(client: ConnectName, scope: Scope): string {
  const removals = removalsFor(client, scope);
  const notes = removals.flatMap((removal) => removal.notes);
  const backups = removeRecorded(removals);
  forgetUnused(removals.flatMap(({ agents }) => agents));
  const lines = removals.flatMap(({ file, text, isChanged, isGone }, index) => {
    if (isGone) return `${file} was deleted before; forgot what connect had written to it`;
    const done = text === undefined ? 'deleted' : 'removed the hub from';
    return isChanged ? `${done} ${file}${backupHint(backups[index])}` : [];
  });
  const none = `${CLIENTS[client].setup.title} has no configuration for a hub here`;
  return [...(lines.length > 0 ? lines : [none]), ...notes.map(oneLine)].join('\n');
}

/** Forgets the tokens of those agents that no hook names anymore. */
function forgetUnused(agents: readonly Agent[]): void {
  if (agents.length === 0) return;
  const others = hookedAgents();
  const unused = agents.filter(
    ({ url, alias }) => !others.agents.some((other) => other.url === url && other.alias === alias),
  );
  const [unreadable] = others.unreadable;
  if (unreadable === undefined) return forgetAgentTokens(unused);
  const aliases = [...new Set(unused.map(({ alias }) => alias))];
  if (aliases.length > 0)
    note(`kept the stored token of ${aliases.join(', ')}, because ${unreadable} cannot be read and may use it`);
}

function backupHint(backup: string | undefined): string {
  return backup === undefined ? '' : ` (backup: ${backup})`;
}

function write(connection: Connection, edits: readonly OwnedChange[]): string {
  const { client, scope, hasHooks } = connection;
  const replaced = edits.flatMap(({ file }) => agentsIn(file));
  const backups = writeRecorded(edits, () => hasHooks && storeAgentToken(connection));
  forgetUnused(replaced);
  return [
    ...edits.map(({ file }, index) => `wrote ${file}${backupHint(backups[index])}`),
    ...(scope === 'project' ? [tokenNote(connection, edits)] : []),
    ...(hasHooks ? notesOf(CLIENTS[client], connection) : []),
  ].join('\n');
}

function notesOf({ setup, hooks, approvals }: Client, agent: Agent): string[] {
  const wake = WAKE_SENTENCES[setup.wake.by](wakeLine(setup.wake, agent));
  const isAsked = approvals !== undefined && installedWaiter() === undefined;
  return [hooks?.note, isAsked ? WAITER_IS_ASKED : undefined, oneLine(wake)].filter((line) => line !== undefined);
}

const WAITER_IS_ASKED =
  'It asks before the agent runs agenthub wake, and an answer for good allows every command of agenthub, some of which run programs. To avoid the question, put agenthub into a directory of PATH that you can write to, and run this command again.';

function tokenNote(connection: Connection, edits: readonly OwnedChange[]): string {
  const secret = edits.find(({ isSecret }) => isSecret);
  return secret === undefined
    ? tokenHint(connection)
    : `${secret.file} holds the token: keep it out of version control`;
}

function tokenHint({ client, token }: Connection): string {
  return configurationOf(client).asks === undefined
    ? `it reads the token from its environment: export ${TOKEN_VARIABLE}=${token}`
    : `${CLIENTS[client].setup.title} asks for the token once: ${token}`;
}

function print(connection: Connection): string {
  const { client, url, token, scope, alias, hasHooks } = connection;
  const { title, command }: Setup = CLIENTS[client].setup;
  const files = newFilesFor(connection).map(({ file, text }) => `In ${file}:\n\n${indented(text.trimEnd())}`);
  const own = command === undefined ? [] : commandLines(command, url, token);
  const again = [
    'agenthub connect',
    client,
    ...(scope === configurationOf(client).scope ? [] : ['--scope', scope]),
    ...(alias === client && !hasHooks ? [] : ['--alias', shellWord(alias)]),
  ];
  return [
    ...(own.length > 0 ? [`${title}, as a single command:\n\n  ${own.join('; ')}`, 'or:'] : []),
    ...files,
    ...(scope === 'user' ? [] : [tokenHint(connection)]),
    `${again.concat('--write', hasHooks ? ['--hooks'] : []).join(' ')} writes this and keeps the existing settings.`,
  ].join('\n\n');
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

function roundTripLine({ url, alias }: Connection, { tools, inbox }: RoundTrip): string {
  const reported = inbox === undefined ? '' : `, report_status as ${alias} succeeded (${inbox} in its inbox)`;
  return `round trip to ${url}: ${tools} tools listed${reported}`;
}
