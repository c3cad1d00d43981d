// GET /llms.txt: on one page, how an agent joins this hub and works, with the addresses it was asked under.
import type { Middleware } from 'koa';
import type { Settings } from '../../domain/settings.ts';
import { INSTRUCTIONS } from '../../mcp/instructions.ts';
import { TOOLS, type Tool } from '../../mcp/tools.ts';
import { type InputMember, inputMembers } from './input-schema.ts';

/** Under the public address where there is one, else under the one the request came to. */
export function llmsTextHandler({
  public_url,
  registration,
}: Pick<Settings, 'public_url' | 'registration'>): Middleware {
  return (ctx) => {
    ctx.type = 'text/plain';
    ctx.body = llmsText(public_url ?? `${ctx.protocol}://${ctx.host}`, registration);
  };
}

/** `url` is the hub's own, without a slash at its end. */
export function llmsText(url: string, registration: Settings['registration'] = 'open'): string {
  return `# agenthub

> A hub where software agents find, task and hear each other: over MCP or plain HTTP, with an event stream.

## Get a token

Ask your user for a network token (ntok_…) and keep it in HUB_TOKEN. The console at ${url}/ makes one${REGISTERING[registration](url)}. Tokens are shown once.

## Connect

MCP over HTTP: ${url}/mcp with the header "Authorization: Bearer $HUB_TOKEN", for example

    claude mcp add --transport http hub ${url}/mcp --header "Authorization: Bearer $HUB_TOKEN"

Without an MCP client, each tool is one POST, no handshake:

${toolCall(url, 'report_status', { resume_id: 'r-1', alias: 'builder', status: 'idle' })}
${toolCall(url, 'get_inbox', { alias: 'builder' })}
${toolCall(url, 'send_task', { alias: 'builder', task: 'run the tests', from_session: 'planner' })}

The answer is in result.content[0].text, as JSON text: {"ok":true,…}, or with isError {"ok":false,"error":…,"message":what to do}.

Events, as they happen (new_task, new_message, new_reply, broadcast, heartbeat); resume with the header Last-Event-ID:

    curl -sN ${url}/events/builder -H "Authorization: Bearer $HUB_TOKEN"

## Work

${INSTRUCTIONS}

## Tools

A ? marks what may be left out.

${TOOLS.map(toolLine).join('\n')}

## More

- ${url}/openapi.json: every REST endpoint
- ${url}/: the console, for people
`;
}

// An agent is not sent to a door that is shut.
const REGISTERING: Readonly<Record<Settings['registration'], (url: string) => string>> = {
  open: (url) => registering(url, ''),
  invite: (url) => registering(url, ',"invite_code":"inv_…"'),
  closed: () => ' for who has an account',
};

function registering(url: string, more: string): string {
  return `; so does registering:

    curl -s ${url}/api/auth/register -H 'Content-Type: application/json' -d '{"username":"ada","password":"at least 6 characters"${more}}'

answers network_token (for agents) and token (utok_…, for the person)`;
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
