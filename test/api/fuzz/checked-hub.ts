// A hub for fuzz tests. It checks that every response is below 500 and has the transport's format, that no error is
// logged and that the database does not change.
import type { Agent } from 'node:http';
import { expect } from 'vitest';
import { register } from '../../support/http/rest-client.ts';
import { isObject, type JsonObject } from '../../support/json.ts';
import { SETUP_TOKEN } from '../../support/test-hub.ts';
import { type Received, type Sent, send } from '../tenancy/send.ts';
import { serveTestHub } from '../tenancy/served-hub.ts';
import { versionOf } from '../tenancy/snapshot.ts';

export type Reply = { status: number; body: JsonObject };

export type CheckedHub = {
  tokens: { user: string; network: string };
  /** Sends the request and checks what must hold for any bad input. */
  request(sent: Sent, agent?: Agent): Promise<Reply>;
};

export async function openCheckedHub(): Promise<CheckedHub> {
  const { hub, url, logged } = await serveTestHub();
  const { userToken, networkToken } = await register(url, 'ada', SETUP_TOKEN);
  let version = await versionOf(hub);
  let count = 0;
  const request = async (sent: Sent, agent?: Agent): Promise<Reply> => {
    const fromElsewhere = { 'X-Forwarded-For': `10.${++count >> 16}.${(count >> 8) & 255}.${count & 255}` };
    const received = await send(url, { ...sent, headers: { ...fromElsewhere, ...sent.headers } }, agent);
    const reply = { status: received.status, body: bodyIn(received) };
    const before = version;
    version = await versionOf(hub);
    const errors = logged.splice(0).filter((line) => line.startsWith('error'));
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(500);
    expect(version === before, `it returned ${reply.status} and changed the database`).toBe(true);
    expect(errors).toEqual([]);
    expectForm(sent, reply);
    return reply;
  };
  return { tokens: { user: userToken, network: networkToken }, request };
}

/** A batch gets a list. */
function bodyIn({ type, text }: Received): JsonObject {
  if (!type.includes('json') || text === '') return { text };
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : { list: value };
}

function expectForm({ method, path }: Sent, { status, body }: Reply): void {
  if (status < 400 || method === 'HEAD') return;
  if (isRpcError(body)) return void expect(path).toMatch(/^\/mcp/i);
  expect({ ...body, error: typeof body.error, message: typeof body.message }, JSON.stringify(body)).toMatchObject({
    error: 'string',
    message: 'string',
  });
}

function isRpcError({ jsonrpc, error }: JsonObject): boolean {
  return jsonrpc === '2.0' && isObject(error) && typeof error.code === 'number' && typeof error.message === 'string';
}
