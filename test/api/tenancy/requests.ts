// Sends the request of a row for one cell over HTTP, and keeps the complete response.
import { Agent } from 'node:http';
import { isObject, type JsonObject, objectIn, textOf } from '../../support/json.ts';
import type { Cell } from './cells.ts';
import type { Fixture } from './fixture.ts';
import type { MethodRow } from './method-rows.ts';
import type { Row } from './rows.ts';
import { REQUEST_ID, type Received, send } from './send.ts';

export type Result = {
  /** `ok`, or the error as the tables write it. */
  outcome: string;
  /** Status, headers and body as received. */
  raw: string;
};

type Request = { method: string; path: string; query?: object; body?: object; headers?: object };

export async function askRoute(fixture: Fixture, route: string, row: Row, cell: Cell): Promise<Result> {
  const [method = '', path = ''] = route.split(' ');
  const args = argumentsOf(fixture, row, cell);
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(pathValue(fixture, row, cell, name)));
  const named = path.includes(':network_id') ? {} : networkOf(fixture, cell);
  const given = { ...named, ...args };
  const response = await ask(
    fixture,
    cell,
    method === 'GET' || method === 'DELETE'
      ? { method, path: filled, query: given }
      : { method, path: filled, body: given },
  );
  return {
    outcome: response.status === 200 ? 'ok' : `${response.status} ${String(objectIn(response.text).error)}`,
    raw: response.raw,
  };
}

export async function askTool(fixture: Fixture, tool: string, row: Row, cell: Cell): Promise<Result> {
  const args = { ...networkOf(fixture, cell), ...argumentsOf(fixture, row, cell) };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } };
  const response = await ask(fixture, cell, { method: 'POST', path: '/mcp', body: call });
  const message = objectIn(response.text);
  if (response.status !== 200) return { outcome: `${response.status} ${String(message.error)}`, raw: response.raw };
  return { outcome: toolOutcome(message), raw: response.raw };
}

export async function askMethod(fixture: Fixture, method: string, row: MethodRow, cell: Cell): Promise<Result> {
  const params = { ...row.params(fixture.objects(cell.object, cell.who)), ...(row.isModern && { _meta: MODERN }) };
  const headers = row.isModern ? { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method } : {};
  const response = await ask(fixture, cell, {
    method: 'POST',
    path: '/mcp',
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers,
  });
  const message = objectIn(response.text);
  const refusal = response.status === 200 ? '' : `${response.status} `;
  return { outcome: isObject(message.result) ? 'ok' : `${refusal}${wordIn(message)}`, raw: response.raw };
}

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A protocol error has the interface's error code in its data. */
function wordIn({ error }: JsonObject): string {
  return isObject(error) && isObject(error.data) ? String(error.data.error) : JSON.stringify(error).replaceAll('"', '');
}

function toolOutcome(message: JsonObject): string {
  if (!isObject(message.result) || !Array.isArray(message.result.content)) return JSON.stringify(message);
  const result = objectIn(textOf(message.result.content[0], 'text'));
  return result.ok === true && message.result.isError !== true ? 'ok' : String(result.error);
}

function networkOf({ ids }: Fixture, { network }: Cell): object {
  return network === '-' || network === 'self' ? {} : { network_id: ids[network].network_id };
}

function argumentsOf(fixture: Fixture, row: Row, { object, who }: Cell): object {
  return row.members?.(fixture.objects(object, who)) ?? {};
}

/** A path uses the first half of the column for the network, and the second for everything else. */
function pathValue(fixture: Fixture, row: Row, cell: Cell, name: string): string {
  const about = { ...fixture.objects(cell.object, cell.who), ...networkOf(fixture, cell) };
  return textOf({ ...about, ...row.names?.(about) }, name);
}

let requestCount = 0;
const agent = new Agent({ keepAlive: true });

function ask(
  { url, tokens }: Fixture,
  { who }: Cell,
  { method, path, query = {}, body, headers: more }: Request,
): Promise<Received> {
  const token = tokens[who];
  const inQuery = who === 'ntok_ in the query';
  const parameters = new URLSearchParams({ ...query, ...(inQuery && { token: token ?? '' }) });
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...REQUEST_ID,
    'X-Forwarded-For': `10.0.${(++requestCount >> 8) & 255}.${requestCount & 255}`, // each from another address, for the rate limits
    ...(token !== undefined && !inQuery && { Authorization: `Bearer ${token}` }),
    ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    ...more,
  };
  return send(url, { method, path: `${path}?${parameters}`, headers, body: text }, agent);
}
