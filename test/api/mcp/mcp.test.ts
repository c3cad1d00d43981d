// The MCP handler without an HTTP server: the response for each kind of body.
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../../server/domain/accounts/caller.ts';
import { invalidInput } from '../../../server/domain/errors.ts';
import type { Hub } from '../../../server/hub.ts';
import { answerMcp } from '../../../server/mcp/endpoint.ts';
import { dump, openFixture, report, send, withRole } from '../../support/fixture.ts';
import { foundNetwork, openTestHub } from '../../support/test-hub.ts';

type Fixture = { hub: Hub; caller: Caller };
type Rpc = {
  jsonrpc: string;
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
};

async function openEndpoint(): Promise<Fixture> {
  const hub = await openTestHub();
  return { hub, caller: await foundNetwork(hub) };
}

async function post(
  { hub, caller }: Fixture,
  value: unknown,
): Promise<{ status: number; body: Rpc | undefined; text: string | undefined }> {
  const { status, body: text } = await answerMcp(hub, caller, {
    headers: { 'content-type': 'application/json' },
    body: { value },
  });
  return { status, body: text === undefined ? undefined : JSON.parse(text), text };
}

const request = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params !== undefined && { params }),
});
const call = (name: string, args: object = {}, id: unknown = 1) => request('tools/call', { name, arguments: args }, id);

/** The parsed text of a tool result, and whether it is an error. */
async function toolResult(endpoint: Fixture, name: string, args: object) {
  const { status, body } = await post(endpoint, call(name, args));
  expect(status).toBe(200);
  const { content, isError, ...rest } = body?.result as { content: { type: string; text: string }[]; isError?: true };
  expect([content.length, content[0]?.type, rest]).toEqual([1, 'text', {}]);
  return { isError: isError ?? false, response: JSON.parse(content[0]?.text ?? '') as Record<string, unknown> };
}

describe('an invalid envelope gets a 400', () => {
  test.each<[string, unknown, unknown]>([
    ['null', null, null],
    ['a number', 42, null],
    ['a text', 'tools/call', null],
    ['an empty one', {}, null],
    ['no version', { id: 1, method: 'ping' }, 1],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, 1],
    ['a version that is a number', { jsonrpc: 2, id: 1, method: 'ping' }, 1],
    ['no method', { jsonrpc: '2.0', id: 1 }, 1],
    ['a method that is not a string', { jsonrpc: '2.0', id: 'a', method: 7 }, 'a'],
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, null],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, null],
    ['a boolean id', { jsonrpc: '2.0', id: true, method: 'ping' }, null],
  ])('%s: -32600, with the id if it can be read', async (_, value, id) => {
    const { status, body } = await post(await openEndpoint(), value);
    expect(status).toBe(400);
    expect(body).toEqual({ jsonrpc: '2.0', id, error: { code: -32600, message: expect.any(String) } });
  });

  test('a body that cannot be parsed: -32700', async () => {
    const { hub, caller } = await openEndpoint();
    const response = await answerMcp(hub, caller, {
      headers: {},
      body: { error: invalidInput('the body must be JSON') },
    });
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body ?? '')).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: 'the body must be JSON' },
    });
  });
});

test.each([0, 1, -1, 1.5, 2 ** 53, '', 'a', '1', '猫', 'null'])('the id %j is returned unchanged', async (id) => {
  const { status, body } = await post(await openEndpoint(), request('ping', undefined, id));
  expect([status, body]).toEqual([200, { jsonrpc: '2.0', id, result: {} }]);
});

describe('a message that expects no response gets an empty 202', () => {
  test.each<[string, object]>([
    ['notifications/initialized', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['an unknown notification', { jsonrpc: '2.0', method: 'notifications/whatever', params: { a: 1 } }],
    ['a posted result', { jsonrpc: '2.0', id: 7, result: {} }],
    ['a posted error', { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'x' } }],
  ])('%s', async (_, value) => {
    const { status, text } = await post(await openEndpoint(), value);
    expect([status, text]).toEqual([202, undefined]);
  });

  test('a call without an id does nothing', async () => {
    const endpoint = await openEndpoint();
    const before = await dump(endpoint);
    const { id: _, ...notification } = call('send_task', { alias: 'bob', task: 'build it' });
    expect(await post(endpoint, notification)).toMatchObject({ status: 202, text: undefined });
    expect(await dump(endpoint)).toEqual(before);
  });
});

describe('initialize', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2023-01-01', '2025-11-25'],
    ['nonsense', '2025-11-25'],
    [undefined, '2025-11-25'],
  ])('requested as %s, returns %s', async (protocolVersion, received) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '0' } };
    const { body } = await post(await openEndpoint(), request('initialize', params));
    expect(body?.result).toEqual({
      protocolVersion: received,
      capabilities: expect.objectContaining({ tools: expect.any(Object) }),
      serverInfo: expect.objectContaining({ name: 'agenthub', version: '0.0.0-test' }),
      instructions: expect.any(String),
    });
  });

  test('returns instructions under 2 KB', async () => {
    const { body } = await post(await openEndpoint(), request('initialize', {}));
    expect(Buffer.byteLength(String(body?.result?.['instructions']))).toBeLessThan(2_048);
  });
});

describe('tools/list', () => {
  test('is identical byte for byte for every hub and every caller', async () => {
    const [one, other] = [await openEndpoint(), await openEndpoint()];
    const { text } = await post(one, request('tools/list'));
    for (const endpoint of [one, other, { ...other, caller: { ...other.caller, token_kind: 'user' as const } }]) {
      expect((await post(endpoint, request('tools/list'))).text).toBe(text);
    }
  });

  test('describes every tool: name, one sentence, an object schema, and its hints', async () => {
    const { body } = await post(await openEndpoint(), request('tools/list'));
    const tools = body?.result?.['tools'] as Record<string, unknown>[];
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'report_status',
        'report_completion',
        'get_inbox',
        'ack_inbox',
        'send_task',
        'send_message',
        'send_reply',
        'send_ack',
        'retry_task',
        'cancel_task',
        'reassign_task',
        'get_task',
        'list_tasks',
        'get_all_status',
        'broadcast',
      ]),
    );
    for (const tool of tools) {
      expect(tool).toMatchObject({
        description: expect.stringMatching(/\.$/),
        inputSchema: { type: 'object', properties: expect.any(Object) },
        annotations: { openWorldHint: false },
      });
      expect(Object.keys(tool['inputSchema'] as object)).not.toEqual(
        expect.arrayContaining(['anyOf', 'oneOf', 'allOf', '$schema']),
      );
    }
  });
});

describe('a method', () => {
  test.each(['tools/nothing', 'constructor', '__proto__', 'toString', '', 'TOOLS/LIST'])(
    '%j is unknown: -32601 with status 200',
    async (method) => {
      const { status, body } = await post(await openEndpoint(), request(method));
      expect([status, body?.error?.code]).toEqual([200, -32601]);
    },
  );

  test.each([
    ['a list', []],
    ['a text', 'x'],
    ['null', null],
  ])('with params that are %s: -32602', async (_, params) => {
    const { body } = await post(await openEndpoint(), request('ping', params));
    expect(body?.error?.code).toBe(-32602);
  });
});

describe('tools/call', () => {
  test.each([['nothing'], ['constructor'], [''], [42], [null], [undefined]])(
    'of the unknown tool %j: -32602',
    async (name) => {
      const { status, body } = await post(await openEndpoint(), request('tools/call', { name, arguments: {} }));
      expect([status, body?.error?.code, body?.result]).toEqual([200, -32602, undefined]);
    },
  );

  test.each([[[]], ['x'], [null], [7]])('with arguments that are %j: -32602', async (given) => {
    const { body } = await post(
      await openEndpoint(),
      request('tools/call', { name: 'get_all_status', arguments: given }),
    );
    expect(body?.error?.code).toBe(-32602);
  });

  test('without arguments equals empty arguments', async () => {
    const { body } = await post(await openEndpoint(), request('tools/call', { name: 'get_all_status' }));
    expect(body?.result).toEqual({ content: [{ type: 'text', text: '{"ok":true,"sessions":[],"summary":[]}' }] });
  });

  test('returns the result as one JSON text', async () => {
    const { isError, response } = await toolResult(await openEndpoint(), 'send_task', {
      alias: 'bob',
      task: 'build it',
    });
    expect(isError).toBe(false);
    expect(response).toMatchObject({ ok: true, message_id: expect.any(String), session_status: 'unknown' });
  });

  test.each<[string, object, string]>([
    ['get_task', { task_id: 'task_none' }, 'task not found'],
    ['send_ack', { task_id: 'task_none' }, 'task not found'],
    ['ack_inbox', { alias: 'bob', message_id: 'msg_none' }, 'message not found or not yours'],
    ['send_task', { alias: 'bob', task: 'x', network_id: 'net_none' }, 'permission_denied'],
  ])('%s %j returns the exact error %j, with a helpful line', async (name, args, error) => {
    const { isError, response } = await toolResult(await openEndpoint(), name, args);
    expect([isError, response]).toEqual([true, { ok: false, error, message: expect.stringMatching(/^[^\n]+$/) }]);
  });

  test.each<[string, object, RegExp]>([
    ['send_task', { task: 'x' }, /^alias is required$/],
    ['send_task', { alias: 'bob', task: 7 }, /^task must be a string$/],
    ['send_task', { alias: 'bob', task: 'x', priority: 'urgent' }, /^priority must be one of high, normal, low$/],
    [
      'send_task',
      { alias: 'bob', task: 'x', ttl_seconds: 86_401 },
      /^ttl_seconds must be a whole number from 1 to 86400$/,
    ],
    ['report_status', { resume_id: 'r', alias: 'bob', status: 'asleep' }, /^status must be one of /],
    [
      'report_completion',
      { alias: 'bob', task: 'x', result: 'y', artifacts: ['a', 7] },
      /^artifacts\[1\] must be a string$/,
    ],
  ])('%s %j is invalid_arguments, and the message names the member and the rule', async (name, args, message) => {
    const endpoint = await openEndpoint();
    const before = await dump(endpoint);
    const { isError, response } = await toolResult(endpoint, name, args);
    expect([isError, response]).toEqual([
      true,
      { ok: false, error: 'invalid_arguments', message: expect.stringMatching(message) },
    ]);
    expect(await dump(endpoint)).toEqual(before);
  });

  test('ignores unknown arguments', async () => {
    expect(await toolResult(await openEndpoint(), 'get_all_status', { flavour: 'sweet' })).toMatchObject({
      isError: false,
    });
  });

  test('a rejected retry names the status', async () => {
    const fixture = await openFixture();
    const { response } = await toolResult(fixture, 'retry_task', { task_id: await send(fixture) });
    expect(response['error']).toBe('task status is delivered, not retryable');
  });

  test('after the trial, send_task returns license_expired and everything else works', async () => {
    const fixture = await openFixture();
    const [membership] = fixture.caller.memberships;
    const expired = {
      ...fixture,
      caller: {
        ...fixture.caller,
        memberships: [
          { network_id: '', role: 'member' as const, ...membership, trial_ends_at: fixture.hub.clock.now() },
        ],
      },
    };
    expect((await toolResult(expired, 'send_task', { alias: 'bob', task: 'x' })).response).toMatchObject({
      ok: false,
      error: 'license_expired',
    });
    expect(await toolResult(expired, 'send_message', { alias: 'bob', message: 'x' })).toMatchObject({ isError: false });
  });
});

describe('a user token', () => {
  const asUser = (endpoint: Fixture): Fixture => ({ ...endpoint, caller: { ...endpoint.caller, token_kind: 'user' } });

  test.each(['initialize', 'ping', 'tools/list'])('can call %s', async (method) => {
    expect((await post(asUser(await openEndpoint()), request(method, {}))).body).toHaveProperty('result');
  });

  test('gets permission_denied from every tool, as a tool error with status 200, and changes nothing', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    const { body } = await post(fixture, request('tools/list'));
    const before = await dump(fixture);
    for (const { name } of body?.result?.['tools'] as { name: string }[]) {
      expect(await toolResult(asUser(fixture), name, { alias: 'bob', task: 'x' }), name).toMatchObject({
        isError: true,
        response: { ok: false, error: 'permission_denied' },
      });
    }
    expect(await dump(fixture)).toEqual(before);
  });

  test('gets the usual error for an unknown tool', async () => {
    expect((await post(asUser(await openEndpoint()), call('nothing'))).body?.error?.code).toBe(-32602);
  });
});

test("a viewer's write is rejected with a tool error", async () => {
  const fixture = withRole(await openFixture(), 'viewer');
  expect(await toolResult(fixture, 'send_task', { alias: 'bob', task: 'x' })).toMatchObject({
    isError: true,
    response: { error: 'permission_denied' },
  });
  expect(await toolResult(fixture, 'list_tasks', {})).toMatchObject({ isError: false });
});

test('an internal error is -32603 with status 500 and reveals no details', async () => {
  const { hub, caller } = await openEndpoint();
  const logged: object[] = [];
  const broken = {
    ...hub,
    log: { ...hub.log, error: (fields: object) => void logged.push(fields) },
    store: { ...hub.store, read: () => Promise.reject(new Error('SELECT secret FROM /root')) },
  };
  const { status, body } = await post({ hub: broken, caller }, call('list_tasks'));
  expect([status, body?.error?.code]).toEqual([500, -32603]);
  expect(JSON.stringify(body)).not.toMatch(/SELECT|secret|root/);
  expect(logged).toHaveLength(1);
});
