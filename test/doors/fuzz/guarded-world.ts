// A hub under fire: whatever is thrown at it, it answers below 500 in the form that the door promises, logs no error, and
// its database does not change.
import { request, type Agent, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { isObject, type JsonObject } from '../../support/json.ts';
import { versionOf } from '../tenancy/rewind.ts';
import { serveTestHub } from '../tenancy/served-hub.ts';
import { register } from '../../support/rest-client.ts';

export type Shot = {
  method: string;
  /** Sent as it stands. */
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
};

export type Reply = { status: number; body: JsonObject };

export type GuardedWorld = {
  tokens: { user: string; network: string };
  /** Sends it and checks what must be true of any bad input. */
  shoot(shot: Shot, agent?: Agent): Promise<Reply>;
};

export async function openGuardedWorld(): Promise<GuardedWorld> {
  const { hub, url, logged } = await serveTestHub();
  const { userToken, networkToken } = await register(url);
  let version = await versionOf(hub);
  let shots = 0;
  const shoot = async (shot: Shot, agent?: Agent): Promise<Reply> => {
    const fromElsewhere = { 'X-Forwarded-For': `10.${++shots >> 16}.${(shots >> 8) & 255}.${shots & 255}` };
    const reply = await send(url, { ...shot, headers: { ...fromElsewhere, ...shot.headers } }, agent);
    const before = version;
    version = await versionOf(hub);
    const errors = logged.splice(0).filter((line) => line.startsWith('error'));
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(500);
    expect(version === before, `it was answered ${reply.status} and changed the database`).toBe(true);
    expect(errors).toEqual([]);
    expectForm(shot, reply);
    return reply;
  };
  return { tokens: { user: userToken, network: networkToken }, shoot };
}

/** Nothing that is wrong takes time; without an answer by then there will be none. */
const PATIENCE_MS = 10_000;

/** Without an agent each goes on a connection of its own, since a refused body may cost the connection. */
function send(url: string, { method, path, headers = {}, body }: Shot, agent?: Agent): Promise<Reply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path, headers, agent: agent ?? false, signal: AbortSignal.timeout(PATIENCE_MS) });
    asked.on('error', reject).on('response', (response) => {
      const status = response.statusCode ?? 0;
      const type = response.headers['content-type'] ?? '';
      if (type.startsWith('text/event-stream')) return void (asked.destroy(), resolve({ status, body: { stream: true } }));
      text(response).then((content) => resolve({ status, body: bodyIn(type, content) })).catch(reject);
    });
    asked.end(body);
  });
}

/** A batch is answered with a list. */
function bodyIn(type: string, content: string): JsonObject {
  if (!type.includes('json') || content === '') return { text: content };
  const value: unknown = JSON.parse(content);
  return isObject(value) ? value : { list: value };
}

function expectForm({ method, path }: Shot, { status, body }: Reply): void {
  if (status < 400 || method === 'HEAD') return;
  if (isRpcError(body)) return void expect(path).toMatch(/^\/mcp/i);
  expect({ ...body, error: typeof body.error, message: typeof body.message }, JSON.stringify(body)).toMatchObject({ error: 'string', message: 'string' });
}

function isRpcError({ jsonrpc, error }: JsonObject): boolean {
  return jsonrpc === '2.0' && isObject(error) && typeof error.code === 'number' && typeof error.message === 'string';
}
