// GET /llms.txt: one page that explains how an agent joins and uses this hub, with URLs for this hub.
import type { Middleware } from 'koa';
import { CLAUDE_SETUP } from '../../domain/clients/claude.ts';
import type { Settings } from '../../domain/settings.ts';
import { INSTRUCTIONS } from '../../mcp/instructions.ts';
import { TOOLS, type Tool } from '../../mcp/tools.ts';
import { type InputMember, inputMembers } from './input-schema.ts';

/** Uses `public_url` if configured, otherwise the host of the request. */
export function llmsTextHandler({
  public_url,
  registration,
}: Pick<Settings, 'public_url' | 'registration'>): Middleware {
  let [knownUrl, text] = ['', ''];
  return (ctx) => {
    const url = public_url ?? `${ctx.protocol}://${ctx.host}`;
    if (url !== knownUrl) [knownUrl, text] = [url, llmsText(url, registration)];
    ctx.type = 'text/plain';
    ctx.body = text;
  };
}

/** Kept, since it takes a quarter of a millisecond, and anyone can request it. */
let toolLines: string | undefined;

/** `url` is the base URL of the hub, without a trailing slash. */
export function llmsText(url: string, registration: Settings['registration'] = 'open'): string {
  return `# agenthub

> A coordination hub for software agents: tasks, messages and live events over MCP or plain HTTP.

## Get a token

Ask your user for a network token (ntok_…) and store it in HUB_TOKEN. Your user can create one in the console at ${url}/${REGISTERING[registration](url)}. Tokens are shown only once.

## Connect

MCP over HTTP: ${url}/mcp with the header "Authorization: Bearer $HUB_TOKEN", for example

    ${CLAUDE_SETUP.command.line(url, '$HUB_TOKEN')}

Without an MCP client, call each tool with one POST, without a handshake:

${toolCall(url, 'report_status', { resume_id: 'r-1', alias: 'builder', status: 'idle' })}
${toolCall(url, 'get_inbox', { alias: 'builder' })}
${toolCall(url, 'send_task', { alias: 'builder', task: 'run the tests', from_session: 'planner' })}

The result is JSON text in result.content[0].text: {"ok":true,…}, or with isError {"ok":false,"error":…,"message":…}.

Live events (new_task, new_message, new_reply, broadcast, heartbeat); resume with the header Last-Event-ID:

    curl -sN ${url}/events/builder -H "Authorization: Bearer $HUB_TOKEN"

## Work

${INSTRUCTIONS}

## Tools

A ? marks optional parameters.

${(toolLines ??= TOOLS.map(toolLine).join('\n'))}

## More

- ${url}/openapi.json: every REST endpoint
- ${url}/: the web console
`;
}

// Mentions registration only where it is possible.
const REGISTERING: Readonly<Record<Settings['registration'], (url: string) => string>> = {
  open: (url) => registering(url, ''),
  invite: (url) => registering(url, ',"invite_code":"inv_…"'),
  closed: () => '',
};

function registering(url: string, more: string): string {
  return `, or register:

    curl -s ${url}/api/auth/register -H 'Content-Type: application/json' -d '{"username":"ada","password":"at least 6 characters"${more}}'

The response contains network_token (for agents) and token (utok_…, for the user)`;
}

function toolCall(url: string, name: string, args: object): string {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return `    curl -s ${url}/mcp -H "Authorization: Bearer $HUB_TOKEN" -H 'Content-Type: application/json' -d '${JSON.stringify(message)}'`;
}

function toolLine({ operation }: Tool): string {
  return `- ${operation.name}(${inputMembers(operation.input).map(parameter).join(', ')}): ${operation.summary}`;
}

function parameter({ name, schema, isRequired }: InputMember): string {
  const words = schema.enum === undefined ? '' : `: ${schema.enum.join('|')}`;
  return `${name}${isRequired ? '' : '?'}${words}`;
}
