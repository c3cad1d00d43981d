// Errors: the REST error body and its statuses, the exact error strings of the tools with their conditions, and the
// additions of SPECIFICATION.md §6 and §7.
import { expect } from 'vitest';
import { listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import type { Reply, TestNetwork } from './fixture.ts';
import { firstRefused } from './late.ts';
import type { Row } from './row-tests.ts';
import { withShortTrial } from './short-timeouts.ts';

const TASK_TOOLS: Readonly<Record<string, (task_id: string) => object>> = {
  send_ack: (task_id) => ({ task_id }),
  cancel_task: (task_id) => ({ task_id }),
  reassign_task: (task_id) => ({ task_id, new_alias: 'carol' }),
  send_reply: (task_id) => ({ alias: 'alice', text: 'late', in_reply_to: task_id, from_session: 'bob' }),
};

export const ERROR_ROWS: readonly Row[] = [
  ['200 success', async (network) => expectStatus(await network.ask('GET', '/api/tasks'), 200)],
  [
    '400 invalid request parameters',
    async (network) => expectError(await network.ask('GET', '/api/tasks?limit=many'), 400, 'invalid_request'),
  ],
  ['401 unauthorized', async ({ fixture }) => expectError(await fixture.ask('GET', '/api/tasks'), 401, 'unauthorized')],
  [
    '403 forbidden',
    async ({ fixture }) =>
      expectError(await fixture.ask('GET', '/api/users', { token: fixture.owner.token }), 403, 'forbidden'),
  ],
  [
    '404 resource not found',
    async ({ fixture }) =>
      expectError(
        await fixture.ask('GET', '/api/networks/net_nowhere', { token: fixture.owner.token }),
        404,
        'not_found',
      ),
  ],
  [
    '404 a path that does not exist',
    async ({ fixture }) => expectError(await fixture.ask('GET', '/api/nowhere'), 404, 'not_found'),
  ],
  [
    '429 rate limited',
    async ({ fixture }) => {
      const headers = { 'X-Forwarded-For': '192.0.2.1' };
      const login = () => fixture.ask('POST', '/api/auth/login', { headers, body: {} });
      for (let count = 0; count < 10; count++) await login();
      expectError(await firstRefused(login, ({ status }) => status === 429), 429, 'rate_limited');
    },
  ],

  ...Object.entries(TASK_TOOLS).flatMap(([tool, args]): Row[] => [
    [
      `task not found: ${tool}`,
      async (network) => expectReported(network, tool, args('task_nowhere'), 'task not found'),
    ],
    ...(['replied', 'failed', 'cancelled', 'expired'] as const).map(
      (status): Row => [
        `task is terminal: ${tool} on a task that is ${status}`,
        async (network) => {
          const task_id = await settled(network, status);
          const before = await everythingIn(network);
          await expectReported(network, tool, args(task_id), 'task is terminal');
          expect(await everythingIn(network)).toEqual(before);
        },
      ],
    ),
  ]),
  ...['retry_task', 'get_task', 'wait_task'].map(
    (tool): Row => [
      `task not found: ${tool}`,
      async (network) => expectReported(network, tool, { task_id: 'task_nowhere' }, 'task not found'),
    ],
  ),
  [
    'task status is X, not retryable: X is the status',
    async (network) => {
      await expectReported(
        network,
        'retry_task',
        { task_id: await network.task() },
        'task status is delivered, not retryable',
      );
    },
  ],
  [
    'message not found or not yours: it does not exist',
    async (network) => {
      await expectReported(
        network,
        'ack_inbox',
        { alias: 'bob', message_id: 'msg_nowhere' },
        'message not found or not yours',
      );
    },
  ],
  [
    'message not found or not yours: it belongs to another agent',
    async (network) => {
      await expectReported(
        network,
        'ack_inbox',
        { alias: 'carol', message_id: await network.task() },
        'message not found or not yours',
      );
    },
  ],
  [
    'license_expired: trial period expired',
    async ({ fixture }) => {
      const network = await withShortTrial(fixture);
      let count = 0;
      const send = async () => (await network.tool('send_task', { alias: 'bob', task: `task ${count++}` })).error;
      await expect.poll(send).toBe('license_expired');
    },
  ],
  [
    '§3 session not found: an alias without a session',
    async (network) => {
      await expectReported(network, 'get_session_status', { alias: 'nobody' }, 'session not found');
    },
  ],

  [
    '§6 a failed tool: HTTP 200, a result with isError, the text an object with error and message',
    async (network) => {
      const message = {
        jsonrpc: '2.0',
        id: 'seven',
        method: 'tools/call',
        params: { name: 'get_task', arguments: { task_id: 'x' } },
      };
      const { status, body } = await network.ask('POST', '/mcp', { body: message });
      expect([status, body.id, body.error]).toEqual([200, 'seven', undefined]);
      expect(objectOf(body, 'result').isError).toBe(true);
      const [content] = listOf(objectOf(body, 'result'), 'content');
      expect(objectIn(textOf(content ?? {}, 'text'))).toEqual({
        ok: false,
        error: 'task not found',
        message: expect.any(String),
      });
    },
  ],
  [
    '§6 unknown tool: JSON-RPC error -32602',
    async (network) =>
      expectRpcError(await rpc(network, { method: 'tools/call', params: { name: 'nothing' } }), 200, -32_602),
  ],
  [
    '§6 unknown method: -32601',
    async (network) => expectRpcError(await rpc(network, { method: 'nothing' }), 200, -32_601),
  ],
  [
    '§6 invalid envelope: -32600 with HTTP 400',
    async (network) => expectRpcError(await rpc(network, { jsonrpc: '1.0', method: 'ping' }), 400, -32_600),
  ],
  [
    '§6 unreadable JSON: -32700 with HTTP 400',
    async (network) => {
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${network.token}` };
      const response = await fetch(`${network.fixture.hub.url}/mcp`, { method: 'POST', headers, body: '{' });
      expect(response.status).toBe(400);
      expect(objectIn(await response.text())).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_700 } });
    },
  ],
  [
    '§6 no token on /mcp: 401 with WWW-Authenticate',
    async ({ fixture }) => {
      const response = await fixture.ask('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'ping' } });
      expectError(response, 401, 'unauthorized');
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="agenthub"');
    },
  ],
  [
    '§6 on /mcp, 413 and 415 have the REST error body',
    async (network) => {
      const call = { jsonrpc: '2.0', id: 1, method: 'ping', params: { padding: 'x'.repeat(2 ** 20) } };
      expectError(await network.ask('POST', '/mcp', { body: call }), 413, 'payload_too_large');
      expectError(
        await network.ask('POST', '/mcp', { body: {}, headers: { 'Content-Type': 'text/plain' } }),
        415,
        'unsupported_media_type',
      );
    },
  ],

  [
    '§7 over REST: task not found → 404',
    async (network) => expectError(await network.ask('GET', '/api/tasks/task_nowhere'), 404, 'task not found'),
  ],
  [
    '§7 over REST: task is terminal → 400',
    async (network) => {
      const task_id = await settled(network, 'replied');
      expectError(await network.ask('POST', `/api/tasks/${task_id}/cancel`, { body: {} }), 400, 'task is terminal');
    },
  ],
  [
    '§7 over REST: task status is X, not retryable → 400',
    async (network) => {
      expectError(
        await network.ask('POST', `/api/tasks/${await network.task()}/retry`, { body: {} }),
        400,
        'task status is delivered, not retryable',
      );
    },
  ],
  [
    '§7 over REST: permission_denied → 403',
    async (network) => {
      const token = await network.join(network.fixture.viewer, 'viewer');
      expectError(
        await network.ask('POST', '/api/broadcast', { token, body: { content: 'x' } }),
        403,
        'permission_denied',
      );
    },
  ],
  [
    '§7 405 for another method, with Allow',
    async (network) => {
      const response = await network.ask('DELETE', '/api/tasks');
      expect(response).toMatchObject({ status: 405, body: { error: expect.any(String), message: expect.any(String) } });
      expect(response.headers.get('allow')).toContain('GET');
    },
  ],
  [
    '§7 413 payload_too_large over 1 MiB',
    async (network) => {
      expectError(
        await network.ask('POST', '/api/messages', { body: { alias: 'bob', message: 'x'.repeat(2 ** 20) } }),
        413,
        'payload_too_large',
      );
    },
  ],
  [
    '§7 415 unsupported_media_type',
    async (network) => {
      expectError(
        await network.ask('POST', '/api/messages', { body: {}, headers: { 'Content-Type': 'text/plain' } }),
        415,
        'unsupported_media_type',
      );
    },
  ],
];

function expectStatus({ status, body }: Reply, expected: number): void {
  expect(status, JSON.stringify(body)).toBe(expected);
}

function expectError(response: Reply, status: number, error: string): void {
  expectStatus(response, status);
  expect(response.body).toEqual({ error, message: expect.stringMatching(/./) });
}

async function expectReported(network: TestNetwork, tool: string, args: object, error: string): Promise<void> {
  expect(await network.tool(tool, args)).toEqual({ ok: false, error, message: expect.stringMatching(/./) });
}

function rpc(network: TestNetwork, message: object): Promise<Reply> {
  return network.ask('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, ...message } });
}

function expectRpcError(response: Reply, status: number, code: number): void {
  expectStatus(response, status);
  expect(response.body).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code, message: expect.any(String) } });
}

async function settled(network: TestNetwork, status: 'replied' | 'failed' | 'cancelled' | 'expired'): Promise<string> {
  const task_id = await network.task(status === 'expired' ? { ttl_seconds: 1 } : {});
  if (status === 'expired') await network.tool('wait_task', { task_id, timeout_seconds: 10 });
  else
    await network.tool('send_reply', { alias: 'alice', text: 'so', in_reply_to: task_id, status, from_session: 'bob' });
  expect(await network.tool('get_task', { task_id })).toMatchObject({ task: { status } });
  return task_id;
}

/** State that a rejected operation must not change. */
async function everythingIn(network: TestNetwork): Promise<unknown[]> {
  const paths = ['/api/tasks', '/api/messages', '/api/task_events', '/api/stats'];
  return Promise.all(paths.map(async (path) => (await network.ask('GET', path)).body));
}
