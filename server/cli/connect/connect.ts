// connect: prints or writes the configuration that an MCP client needs for this hub. It tests a round trip first, so
// that it never writes a configuration that does not work.
import { oneLine } from '../../domain/text/terminal-text.ts';
import { access, agentHub } from '../client/credentials.ts';
import { type HubClient, hubClient } from '../client/hub-client.ts';
import { CommandError, wrongUsage } from '../exit-codes.ts';
import { note, say } from '../output.ts';
import { CLIENTS, type ClientName, type ClientSetup, type Connection, type Scope, TOKEN_VARIABLE } from './clients.ts';
import { editsFor, type FileEdit } from './edits.ts';
import { replaceFile } from './replace-file.ts';
import { type RoundTrip, testRoundTrip } from './round-trip.ts';

export type ConnectOptions = { write?: true; scope?: Scope; alias?: string; hooks?: true };

export async function connect(client: ClientName, options: ConnectOptions): Promise<void> {
  if (options.hooks && client !== 'claude') throw wrongUsage(`${CLIENTS[client].title} has no hooks; omit --hooks`);
  const hub = await byPublicAddress(agentHub());
  const connection: Connection = {
    client,
    url: hub.url,
    token: access().networkToken ?? '',
    scope: options.scope ?? CLIENTS[client].scope,
    alias: options.alias ?? client,
    hasHooks: options.hooks === true,
  };
  const edits = editsFor(connection);
  const roundTrip = await testRoundTrip(hub, connection.alias);
  say(options.write ? write(connection, edits) : print(connection, edits));
  say(
    `\n${oneLine(roundTripLine(connection, roundTrip))}\n${oneLine(`Tell the agent its alias: ${connection.alias}`)}`,
  );
}

/** Prefers the hub's public URL if it is reachable, because the output may be used on another machine. */
async function byPublicAddress(hub: HubClient): Promise<HubClient> {
  const { public_url } = await hub.get<{ public_url?: string }>('/health');
  if (public_url === undefined || public_url === hub.url) return hub;
  const publicHub = hubClient(public_url, access().networkToken);
  try {
    await publicHub.get('/api/status');
    return publicHub;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    note(`the public URL of this hub, ${public_url}, is not reachable from this machine; using ${hub.url} instead`);
    return hub;
  }
}

function write({ client, scope, token }: Connection, edits: readonly FileEdit[]): string {
  const lines = edits.map(({ file, text, isSecret }) => {
    const backup = replaceFile(file, text, { isSecret });
    return `wrote ${file}${backup === undefined ? '' : ` (backup: ${backup})`}`;
  });
  return [...lines, ...(scope === 'user' ? [] : [tokenHint(client, token)])].join('\n');
}

function tokenHint(client: ClientName, token: string): string {
  return client === 'vscode'
    ? `VS Code asks for the token once: ${token}`
    : `it reads the token from its environment: export ${TOKEN_VARIABLE}=${token}`;
}

function print(connection: Connection, edits: readonly FileEdit[]): string {
  const { client, url, token, scope, alias, hasHooks } = connection;
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
    `${again.concat('--write', hasHooks ? ['--hooks'] : []).join(' ')} writes this and keeps the existing settings.`,
  ].join('\n\n');
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

function roundTripLine({ url, alias }: Connection, { tools, inbox }: RoundTrip): string {
  return `round trip to ${url}: ${tools} tools listed, report_status as ${alias} succeeded (${inbox} in its inbox)`;
}
