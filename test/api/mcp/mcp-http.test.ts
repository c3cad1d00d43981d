// HTTP behavior of the MCP endpoint: methods, media types, bearer tokens, and the paths where clients look for a
// sign-in.
import { expect, test } from 'vitest';
import { type RawRequest, sendRaw } from '../../support/http/raw-request.ts';
import { serveHub } from '../../support/served-hub.ts';

const JSON_TYPE = 'application/json';
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const NOTIFICATION = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });

test.each<
  [method: string, headers: Record<string, string>, body: string | undefined, status: number, expected: object]
>([
  ['POST', { 'content-type': JSON_TYPE }, PING, 200, { result: {} }],
  ['POST', { 'content-type': 'Application/JSON; charset=utf-8' }, PING, 200, { result: {} }],
  ['POST', { 'content-type': JSON_TYPE, accept: 'text/html' }, PING, 200, { result: {} }],
  ['POST', { 'content-type': JSON_TYPE, accept: '' }, PING, 200, { result: {} }],
  ['POST', { 'content-type': JSON_TYPE, 'mcp-session-id': 'of another server' }, PING, 200, { result: {} }],
  ['POST', { 'content-type': JSON_TYPE }, '{"jsonrpc"', 400, { id: null, error: { code: -32700 } }],
  [
    'POST',
    { 'content-type': JSON_TYPE, 'mcp-protocol-version': '2026-07-28' },
    '{"jsonrpc"',
    400,
    { error: { code: -32700 } },
  ],
  ['POST', { 'content-type': JSON_TYPE }, '{"jsonrpc":"1.0"}', 400, { error: { code: -32600 } }],
  ['POST', {}, undefined, 400, { error: { code: -32600 } }],
  ['POST', { 'content-type': 'text/plain' }, PING, 415, { error: 'unsupported_media_type' }],
  ['POST', { 'content-type': 'text/event-stream' }, PING, 415, { error: 'unsupported_media_type' }],
  ['POST', {}, PING, 415, { error: 'unsupported_media_type' }],
  [
    'POST',
    { 'content-type': JSON_TYPE },
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(1 << 20) }),
    413,
    { error: 'payload_too_large' },
  ],
  ['GET', {}, undefined, 405, { error: 'method_not_allowed' }],
  ['GET', { accept: 'text/event-stream' }, undefined, 405, { error: 'method_not_allowed' }],
  ['DELETE', { 'mcp-session-id': 'x' }, undefined, 405, { error: 'method_not_allowed' }],
  ['PUT', { 'content-type': JSON_TYPE }, PING, 405, { error: 'method_not_allowed' }],
])('%s %j %s → %i', async (method, headers, body, status, expected) => {
  const { url, networkToken } = await serveHub();
  const request: RawRequest = {
    method,
    path: '/mcp',
    headers: { authorization: `Bearer ${networkToken}`, ...headers },
    ...(body !== undefined && { body }),
  };
  const reply = await sendRaw(url, request);
  expect({ status: reply.status, body: reply.body }).toMatchObject({ status, body: expected });
  expect(reply.headers['mcp-session-id']).toBeUndefined();
  if (status === 405) expect(reply.headers.allow).toBe('POST');
});

test('a notification gets an empty 202', async () => {
  const { url, networkToken } = await serveHub();
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${networkToken}`, 'content-type': JSON_TYPE },
    body: NOTIFICATION,
  });
  expect({ status: response.status, text: await response.text(), type: response.headers.get('content-type') }).toEqual({
    status: 202,
    text: '',
    type: null,
  });
});

test.each([
  ['none', {}, 'Bearer realm="agenthub"'],
  ['a wrong one', { authorization: 'Bearer ntok_wrong' }, 'Bearer realm="agenthub", error="invalid_token"'],
])(
  'a request without a valid bearer token (%s) gets a challenge without a sign-in URL',
  async (_, headers, challenge) => {
    const { url } = await serveHub();
    const reply = await sendRaw(url, { path: '/mcp', headers: { 'content-type': JSON_TYPE, ...headers }, body: PING });
    expect(reply).toMatchObject({ status: 401, body: { error: 'unauthorized', message: expect.any(String) } });
    expect(reply.headers['www-authenticate']).toBe(challenge);
  },
);

test.each([
  ['GET', '/.well-known/oauth-protected-resource'],
  ['GET', '/.well-known/oauth-protected-resource/mcp'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/.well-known/openid-configuration'],
  ['GET', '/mcp/.well-known/openid-configuration'],
  ['POST', '/register'],
  ['GET', '/register'],
])('%s %s: no sign-in, as a JSON error even for browsers', async (method, path) => {
  const { url } = await serveHub();
  const registration = {
    headers: { accept: 'text/html,*/*', 'content-type': JSON_TYPE },
    body: '{"redirect_uris":[]}',
  };
  const reply = await sendRaw(url, {
    method,
    path,
    ...(method === 'POST' ? registration : { headers: { accept: 'text/html,*/*' } }),
  });
  const message = 'this hub does not support OAuth; send Authorization: Bearer ntok_… with every request to /mcp';
  expect({ status: reply.status, body: reply.body }).toEqual({
    status: 404,
    body: { error: 'not_found', message, error_description: message },
  });
});
