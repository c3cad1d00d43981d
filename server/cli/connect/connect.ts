// connect: prints or writes the configuration that an MCP client needs for this hub, or takes it back. It tests a round
// trip first, so that it never writes a configuration that does not work.
import { oneLine } from '../../domain/text/terminal-text.ts';
import { forgetAgentTokens, storeAgentToken } from '../client/access/agent-tokens.ts';
import { agentAccess } from '../client/access/access.ts';
import type { HubOptions } from '../client/access/hub-options.ts';
import { type HubClient, hubClient } from '../client/hub-client.ts';
import { CommandError, wrongUsage } from '../exit-codes.ts';
import { note, say } from '../output.ts';
import { printPlugin, removePlugin, writePlugin } from './claude-plugin/connect-plugin.ts';
import { CLIENTS, type ClientName, type ClientSetup, type Connection, type Scope, TOKEN_VARIABLE } from './clients.ts';
import { editsFor, type FileEdit, removalsFor } from './edits.ts';
import { HOOK_SETUPS, hasHooks } from './hook-setups.ts';
import { deleteFile, replaceFile } from './replace-file.ts';
import { type RoundTrip, testRoundTrip } from './round-trip.ts';

export type ConnectOptions = HubOptions & {
  write?: true;
  scope?: Scope;
  alias?: string;
  hooks?: true;
  plugin?: true;
  remove?: true;
};

export async function connect(client: ClientName, options: ConnectOptions): Promise<void> {
  if (options.hooks && !hasHooks(client)) throw wrongUsage(`${CLIENTS[client].title} has no hooks; omit --hooks`);
  if (options.plugin && client !== 'claude') throw wrongUsage(`${CLIENTS[client].title} has no plugins of this kind`);
  if (options.remove) return say(options.plugin ? removePlugin() : remove(client, options));
  const { url, token } = await agentAccess(options);
  const hub = await byPublicAddress(hubClient(url, token), token);
  if (options.plugin) return connectPlugin(hub, token, options);
  const connection: Connection = {
    client,
    url: hub.url,
    token,
    scope: options.scope ?? CLIENTS[client].scope,
    alias: options.alias ?? client,
    hasHooks: options.hooks === true,
  };
  const edits = editsFor(connection);
  const roundTrip = await testRoundTrip(hub, connection.alias, { reports: options.write === true });
  say(options.write ? write(connection, edits) : print(connection, edits));
  say(
    `\n${oneLine(roundTripLine(connection, roundTrip))}\n${oneLine(`Tell the agent its alias: ${connection.alias}`)}`,
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
function remove(client: ClientName, { scope = CLIENTS[client].scope }: ConnectOptions): string {
  const removals = removalsFor({ client, scope });
  const lines = removals.map(({ file, text }) =>
    text === ''
      ? `deleted ${deleteFile(file)}`
      : `removed the hub from ${file}${backupHint(replaceFile(file, text, { isSecret: false }))}`,
  );
  forgetAgentTokens(removals.flatMap(({ agents }) => agents));
  return lines.length === 0 ? `${CLIENTS[client].title} has no configuration for a hub here` : lines.join('\n');
}

function backupHint(backup: string | undefined): string {
  return backup === undefined ? '' : ` (backup: ${backup})`;
}

function write(
  { client, scope, token, url, alias, hasHooks: isWithHooks }: Connection,
  edits: readonly FileEdit[],
): string {
  if (isWithHooks) storeAgentToken({ url, alias, token });
  const lines = edits.map(({ file, text, isSecret }) => {
    return `wrote ${file}${backupHint(replaceFile(file, text, { isSecret }))}`;
  });
  return [
    ...lines,
    ...(scope === 'project' ? [tokenNote(client, token, isWithHooks)] : []),
    ...(isWithHooks ? notesOf(client, alias) : []),
  ].join('\n');
}

function notesOf(client: ClientName, alias: string): string[] {
  const { notes = [] } = HOOK_SETUPS[client] ?? {};
  return notes.map((line) => line.replaceAll('ALIAS', alias));
}

function tokenNote(client: ClientName, token: string, isWithHooks: boolean): string {
  return client === 'claude' && isWithHooks
    ? '.claude/settings.local.json holds the token: keep it out of version control'
    : tokenHint(client, token);
}

function tokenHint(client: ClientName, token: string): string {
  return client === 'vscode'
    ? `VS Code asks for the token once: ${token}`
    : `it reads the token from its environment: export ${TOKEN_VARIABLE}=${token}`;
}

function print(connection: Connection, edits: readonly FileEdit[]): string {
  const { client, url, token, scope, alias, hasHooks: isWithHooks } = connection;
  const setup: ClientSetup = CLIENTS[client];
  const files = edits.map(({ file, alone }) => `In ${file}:\n\n${indented(alone.trimEnd())}`);
  const command =
    setup.command === undefined ? [] : [`${setup.title}, as a single command:\n\n  ${setup.command(url, token)}`];
  const again = [
    'agenthub connect',
    client,
    ...(scope === setup.scope ? [] : ['--scope', scope]),
    ...(alias === client ? [] : ['--alias', alias]),
  ];
  return [
    ...command,
    ...(command.length > 0 ? ['or:', ...files] : files),
    ...(scope === 'user' ? [] : [tokenHint(client, token)]),
    `${again.concat('--write', isWithHooks ? ['--hooks'] : []).join(' ')} writes this and keeps the existing settings.`,
  ].join('\n\n');
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

function roundTripLine({ url, alias }: Connection, { tools, inbox }: RoundTrip): string {
  const reported = inbox === undefined ? '' : `, report_status as ${alias} succeeded (${inbox} in its inbox)`;
  return `round trip to ${url}: ${tools} tools listed${reported}`;
}
