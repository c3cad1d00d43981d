// The lines that connect each client to this hub.
import { CLAUDE_SETUP } from '../../server/domain/clients/claude.ts';
import type { ConnectName } from '../../server/domain/clients/clients.ts';
import { CODEX_SETUP } from '../../server/domain/clients/codex.ts';
import { COPILOT_SETUP } from '../../server/domain/clients/copilot.ts';
import { CURSOR_SETUP } from '../../server/domain/clients/cursor.ts';
import { GEMINI_SETUP } from '../../server/domain/clients/gemini.ts';
import { OPENCODE_SETUP } from '../../server/domain/clients/opencode.ts';
import { QWEN_SETUP } from '../../server/domain/clients/qwen.ts';
import {
  type Agent,
  commandLines,
  newConfiguration,
  type Setup,
  shownPath,
} from '../../server/domain/clients/setup.ts';
import { VSCODE_SETUP } from '../../server/domain/clients/vscode.ts';
import { shellWord } from '../../server/domain/text/shell-word.ts';
import type { Words } from '../i18n/en.ts';

/** The small part of each client of the table that `agenthub connect` configures; a missing one does not compile. */
const SETUPS: Readonly<Record<ConnectName, Setup>> = {
  claude: CLAUDE_SETUP,
  codex: CODEX_SETUP,
  gemini: GEMINI_SETUP,
  qwen: QWEN_SETUP,
  copilot: COPILOT_SETUP,
  opencode: OPENCODE_SETUP,
  cursor: CURSOR_SETUP,
  vscode: VSCODE_SETUP,
};

/** A program that acts as an agent itself. */
type Example = { name: keyof Words['connect']['examples']; title: string; example: (agent: AgentAccess) => string };

const EXAMPLES: Readonly<Record<Example['name'], Example>> = {
  curl: { name: 'curl', title: 'curl', example: curlExample },
  typescript: { name: 'typescript', title: 'TypeScript', example: scriptExample },
};

export type ClientName = ConnectName | Example['name'];
export const CLIENTS: Readonly<Record<ClientName, Setup | Example>> = { ...SETUPS, ...EXAMPLES };
export const CLIENT_NAMES = Object.keys(CLIENTS) as ClientName[];

/** Placeholder for the token when the console does not have it. */
export const TOKEN_PLACEHOLDER = 'ntok_…';

export type AgentAccess = Agent & { token: string };

/** The recommended command: it writes the configuration and the hooks. */
export function connectLines(client: ClientName, { url, token, alias }: AgentAccess): string {
  return `AGENTHUB_URL=${shellWord(url)} \\
AGENTHUB_TOKEN=${token} \\
agenthub connect ${client} --hooks --write --alias ${shellWord(alias)}`;
}

/** The configuration without hooks: the client's own command, or the content of a file. */
export function configurationLines({ command, configuration }: Setup, { url, token }: AgentAccess) {
  if (command !== undefined) return { lines: commandLines(command, url, token).join('\n') };
  if (configuration === undefined) return { lines: '' };
  // The token belongs in a file of the user. A client that asks for it needs none, so the project can share its file.
  const scope = configuration.asks === undefined ? 'user' : 'project';
  const content = newConfiguration(configuration, url, scope === 'user' ? token : undefined);
  return { file: shownPath(configuration, scope), lines: JSON.stringify(content, null, 2) };
}

function curlExample(agent: AgentAccess): string {
  return curlOf(agent, 'report_status', { resume_id: agent.alias, alias: agent.alias, status: 'idle' });
}

function scriptExample({ url, token, alias }: AgentAccess): string {
  return `const alias = ${JSON.stringify(alias)};

async function call(name: string, args: object) {
  const response = await fetch('${url}/mcp', {
    method: 'POST',
    headers: { Authorization: 'Bearer ${token}', 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  return JSON.parse((await response.json()).result.content[0].text);
}

for (;;) {
  await call('report_status', { resume_id: alias, alias, status: 'idle', agent: 'typescript' });
  const { messages } = await call('get_inbox', { alias, wait_seconds: 60 });
  for (const { id, type, content, from_session } of messages) {
    await call('ack_inbox', { alias, message_id: id });
    if (type !== 'task') continue;
    // Do the work here and send its result as the reply.
    await call('send_reply', { alias: from_session, in_reply_to: id, from_session: alias, text: \`Done: \${content}\` });
  }
}`;
}

/** The command that replies to a task on behalf of its agent. */
export function replyCommand(agent: AgentAccess, task_id: string, asker: string): string {
  return curlOf(agent, 'send_reply', {
    alias: asker,
    in_reply_to: task_id,
    from_session: agent.alias,
    text: 'This reply was sent with curl.',
  });
}

function curlOf({ url, token }: AgentAccess, name: string, args: object): string {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return `curl ${url}/mcp \\
  -H "Authorization: Bearer ${token}" \\
  -H "Content-Type: application/json" \\
  -d ${shellWord(JSON.stringify(call))}`;
}
