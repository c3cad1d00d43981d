// The measured hub: its command, an account with one agent, and the request that sends a task.
import { join } from 'node:path';
import * as v from 'valibot';
import { DIST, ROOT } from '../../build/step.ts';
import type { Command } from '../support/process.ts';
import { launch, type Program } from '../support/program.ts';
import { NUMBER } from './connection.ts';
import type { Target } from './options.ts';
import { postRequest } from './requests.ts';

const SOURCE = ['--experimental-import-text', '--disable-warning=ExperimentalWarning', join(ROOT, 'server/main.ts')];

export function hubCommand(target: Target, data: string): Command {
  const args = ['serve', '--port', '0', '--data', data, '--max-pending-messages', '0', '--max-streams-per-user', '0']; // a single user causes the whole load
  return target === 'source'
    ? { file: process.execPath, args: [...SOURCE, ...args] }
    : { file: join(DIST, 'agenthub'), args };
}

/** Registers an account, reports the agent `worker`, and returns the network token. */
export async function openNetwork(hub: Program): Promise<string> {
  const { network_token: token } = await openAccount(hub, 'bench');
  await callTool(hub, token, 'report_status', { resume_id: 'worker', alias: 'worker', status: 'idle' });
  return token;
}

export async function openAccount(hub: Program, username: string): Promise<v.InferOutput<typeof Registered>> {
  const response = await post(
    `${hub.url}/api/auth/register`,
    {},
    JSON.stringify({ username, password: 'bench-password' }),
  );
  return v.parse(Registered, JSON.parse(response));
}

const Registered = v.object({
  token: v.string(),
  network_token: v.string(),
  network_id: v.string(),
  user: v.object({ user_id: v.string(), username: v.string(), display_name: v.string(), role: v.string() }),
});

/** Sends one task and returns the exact response of the hub. */
export function sendOnce(hub: Program, token: string): Promise<string> {
  return post(`${hub.url}/mcp`, { authorization: `Bearer ${token}` }, sendBody());
}

/** Starts a hub on existing data and returns the number of tasks it finds. */
export async function countStored(command: Command, token: string): Promise<number> {
  using hub = await launch(command);
  const { stats } = v.parse(Listed, await callTool(hub, token, 'list_tasks', { limit: 1 }));
  await hub.kill();
  return stats.reduce((sum, { count }) => sum + count, 0);
}

const Listed = v.object({ stats: v.array(v.object({ count: v.number() })) });

/** The bytes of a send_task request over HTTP/1.1, with the placeholder NUMBER for the number of the request. */
export function sendRequest(token: string): string {
  return postRequest(token, '/mcp', sendBody());
}

function sendBody(): string {
  const task = `Review change ${NUMBER}: the parser accepts a trailing comma that the grammar refuses; add a test and fix it.`;
  return rpc('send_task', { alias: 'worker', task, from_session: 'lead', priority: 'normal' });
}

export async function callTool(hub: Program, token: string, name: string, args: object): Promise<unknown> {
  const response = await post(`${hub.url}/mcp`, { authorization: `Bearer ${token}` }, rpc(name, args));
  const { result } = v.parse(ToolResult, JSON.parse(response));
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  return JSON.parse(result.content[0].text);
}

const ToolResult = v.object({
  result: v.object({ content: v.tuple([v.object({ text: v.string() })]), isError: v.optional(v.boolean()) }),
});

export function rpc(name: string, args: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: NUMBER, method: 'tools/call', params: { name, arguments: args } });
}

export async function post(url: string, headers: Record<string, string>, body: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  const reply = await response.text();
  if (!response.ok) throw new Error(`${url} returned status ${response.status}: ${reply}`);
  return reply;
}
