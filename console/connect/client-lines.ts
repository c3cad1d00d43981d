// The exact configuration lines that connect each supported client to this hub.
import type { Words } from '../i18n/en.ts';

export type ClientName = keyof Words['connect']['instructions'];

/** Placeholder for the token when the console does not have it. */
export const TOKEN_PLACEHOLDER = 'ntok_…';

/** The values in the lines: hub address, token and agent alias. */
export type Line = { hub: string; token: string; alias: string };

export const CLIENTS: Record<ClientName, (line: Line) => string> = {
  claude: ({ hub, token }) =>
    `claude mcp add --transport http hub ${hub}/mcp --header "Authorization: Bearer ${token}"`,
  codex: ({ hub, token }) =>
    `export HUB_TOKEN=${token}\ncodex mcp add hub --url ${hub}/mcp --bearer-token-env-var HUB_TOKEN`,
  gemini: ({ hub, token }) =>
    `gemini mcp add --scope user --transport http --header "Authorization: Bearer ${token}" hub ${hub}/mcp`,
  cursor: ({ hub, token }) => indented({ mcpServers: { hub: { url: `${hub}/mcp`, headers: headersOf(token) } } }),
  vscode: ({ hub, token }) =>
    indented({ servers: { hub: { type: 'http', url: `${hub}/mcp`, headers: headersOf(token) } } }),
  curl: (line) => curlOf(line, 'report_status', { resume_id: line.alias, alias: line.alias, status: 'idle' }),
  typescript: ({ hub, token, alias }) => `const alias = ${JSON.stringify(alias)};

async function call(name: string, args: object) {
  const response = await fetch('${hub}/mcp', {
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
}`,
};

export const CLIENT_NAMES: readonly ClientName[] = [
  'claude',
  'codex',
  'gemini',
  'cursor',
  'vscode',
  'curl',
  'typescript',
];

/** The command that replies to a task on behalf of its agent. */
export function replyCommand(line: Line, task_id: string, asker: string): string {
  return curlOf(line, 'send_reply', {
    alias: asker,
    in_reply_to: task_id,
    from_session: line.alias,
    text: 'This reply was sent with curl.',
  });
}

function headersOf(token: string) {
  return { Authorization: `Bearer ${token}` };
}

function indented(value: object): string {
  return JSON.stringify(value, null, 2);
}

/** Escapes a value for single quotes in a shell, such as an alias with an apostrophe. */
function shellQuoted(text: string): string {
  return text.replaceAll("'", String.raw`'\''`);
}

function curlOf({ hub, token }: Line, name: string, args: object): string {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return `curl ${hub}/mcp \\
  -H "Authorization: Bearer ${token}" \\
  -H "Content-Type: application/json" \\
  -d '${shellQuoted(JSON.stringify(call))}'`;
}
