// Missing, invalid and misplaced tokens on every kind of endpoint.
import { describe, expect, test } from 'vitest';
import { newToken } from '../../../server/domain/accounts/token.ts';
import { randomIds } from '../../../server/domain/ids/ids.ts';
import { systemClock } from '../../../server/domain/time/clock.ts';
import type { RawRequest } from '../../support/http/raw-request.ts';
import { checkedHub } from '../../support/process/checked-hub.ts';

const hub = checkedHub();

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const send = JSON.stringify({ alias: 'bob', task: 'x' });
const json = { 'Content-Type': 'application/json' };

/** Each accepts the kind of token it names. */
const TRANSPORTS: readonly [name: string, kind: 'userToken' | 'networkToken', raw: RawRequest][] = [
  ['a route for users', 'userToken', { method: 'GET', path: '/api/auth/me' }],
  ['a route for agents', 'networkToken', { method: 'GET', path: '/api/status' }],
  ['a route that writes', 'networkToken', { path: '/api/tasks', headers: json, body: send }],
  ['/mcp', 'networkToken', { path: '/mcp', headers: json, body: ping }],
  ['the event stream', 'networkToken', { method: 'GET', path: '/events/%00' }],
];

const BEARERS: readonly [name: string, bearerOf: (token: string) => string | undefined][] = [
  ['none', () => undefined],
  ['an empty one', () => 'Bearer '],
  ['another scheme', (token) => `Basic ${token}`],
  ['a bare token', (token) => token],
  ['nonsense', () => 'Bearer nonsense'],
  ['a forged one, well-formed', () => `Bearer ${newToken('network', randomIds(systemClock))}`],
  [
    'one with a mistyped letter',
    (token) => `Bearer ${token.slice(0, 20)}${token[20] === 'a' ? 'b' : 'a'}${token.slice(21)}`,
  ],
  ['a lowercase one', (token) => `Bearer ${token.toLowerCase()}`],
  ['a truncated one', (token) => `Bearer ${token.slice(0, -1)}`],
  ['one with a suffix', (token) => `Bearer ${token}x`],
  ['one under the other prefix', (token) => `Bearer ${token.startsWith('u') ? 'n' : 'u'}${token.slice(1)}`],
  ['two', (token) => `Bearer ${token} ${token}`],
  ['one of 10,000 characters', () => `Bearer utok_${'x'.repeat(10_000)}`],
];

describe.each(TRANSPORTS)('at %s', (_, kind, raw) => {
  test.each(BEARERS)('rejects %s', async (_name, bearerOf) => {
    const authorization = bearerOf(hub.account()[kind]);
    await hub.storingNothing(async () => {
      const reply = await hub.ask(withHeader(raw, authorization));
      expect(reply).toMatchObject({ status: 401, body: { error: 'unauthorized', message: expect.any(String) } });
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer realm="agenthub"/);
    });
  });

  test('accepts the right token', async () => {
    const { status } = await hub.ask(withHeader(raw, `bearer ${hub.account()[kind]}`));
    // The stream cursor is invalid, so the response ends. By then the token has been accepted.
    expect(status).toBe(raw.path.startsWith('/events') ? 400 : 200);
  });
});

test('only the event stream accepts a token in the query', async () => {
  const { networkToken } = hub.account();
  const at = async (path: string, raw: Partial<RawRequest> = {}) =>
    (await hub.ask({ method: 'GET', path: `${path}?token=${networkToken}`, ...raw })).status;
  expect(await at('/events/%00')).toBe(400);
  expect(await at('/api/status')).toBe(401);
  expect(await at('/mcp', { method: 'POST', headers: json, body: ping })).toBe(401);
  expect(
    (await hub.ask({ method: 'GET', path: `/events/%00?token=${networkToken}&token=${networkToken}` })).status,
  ).toBe(401);
});

test('a network token cannot use account endpoints, and a user token cannot call tools', async () => {
  const { userToken, networkToken } = hub.account();
  const account = await hub.ask({
    method: 'GET',
    path: '/api/auth/me',
    headers: { Authorization: `Bearer ${networkToken}` },
  });
  expect(account).toMatchObject({ status: 403, body: { error: 'user_token_required' } });

  const params = { name: 'send_task', arguments: { alias: 'bob', task: 'x' } };
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  await hub.storingNothing(async () => {
    const tool = await hub.ask({
      path: '/mcp',
      headers: { ...json, Authorization: `Bearer ${userToken}` },
      body: call,
    });
    const content = [{ text: expect.stringContaining('"error":"permission_denied"') }];
    expect(tool).toMatchObject({ status: 200, body: { result: { isError: true, content } } });
  });
});

test('a network_id that does not match the token is rejected, not ignored', async () => {
  const headers = { ...json, Authorization: `Bearer ${hub.account().networkToken}` };
  await hub.storingNothing(async () => {
    const body = JSON.stringify({ alias: 'bob', task: 'x', network_id: 'net_elsewhere' });
    const reply = await hub.ask({ path: '/api/tasks', headers, body });
    expect(reply).toMatchObject({ status: 403, body: { error: 'permission_denied' } });
  });
});

function withHeader(raw: RawRequest, authorization: string | undefined): RawRequest {
  return {
    ...raw,
    headers: { ...raw.headers, ...(authorization !== undefined && { Authorization: authorization }) },
  };
}
