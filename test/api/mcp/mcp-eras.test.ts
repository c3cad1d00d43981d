// The two eras of MCP on one URL: how requests are classified, what each must contain, and which errors malformed ones
// get.
import { describe, expect, test } from 'vitest';
import { answerMcp } from '../../../server/mcp/endpoint.ts';
import { openFixture } from '../../support/fixture.ts';
import { legacyPost, MODERN_META, MODERN_VERSION, modernPost, type Post } from '../../support/http/mcp-posts.ts';
import { type JsonObject, objectIn, objectOf } from '../../support/json.ts';
import { FREE_ROOM } from '../../support/response-room.ts';

type Reply = { status: number; body: JsonObject | undefined };

async function ask({ headers, message }: Post): Promise<Reply> {
  const { hub, caller } = await openFixture();
  const { status, body, later } = await answerMcp(hub, caller, { headers, body: { value: message } });
  const text = later === undefined ? body : (await later.run(AbortSignal.abort(), () => {}, FREE_ROOM)).pieces.join('');
  return { status, body: text === undefined ? undefined : read(text) };
}

function read(text: string): JsonObject {
  return text.startsWith('[') ? { batch: JSON.parse(text) } : objectIn(text);
}

const MODERN_CALL = modernPost('tools/call', { name: 'get_all_status', arguments: {} });
const DISCOVER = modernPost('server/discover');
const VERSION = 'mcp-protocol-version';

/** The same request with some headers changed. undefined removes a header. */
function withHeaders({ headers, message }: Post, changes: Record<string, string | undefined>): Post {
  const kept = Object.entries({ ...headers, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { headers: Object.fromEntries(kept), message };
}

/** A modern tools/list with this `_meta`. */
function withMeta(meta: unknown, version: string | undefined = MODERN_VERSION): Post {
  const headers = { 'mcp-method': 'tools/list', ...(version !== undefined && { [VERSION]: version }) };
  return {
    headers,
    message: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: meta === undefined ? {} : { _meta: meta } },
  };
}

const { 'io.modelcontextprotocol/protocolVersion': _version, ...META_WITHOUT_VERSION } = MODERN_META;
const { 'io.modelcontextprotocol/clientCapabilities': _capabilities, ...META_WITHOUT_CAPABILITIES } = MODERN_META;
const META_OF_2099 = { ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };

describe('an invalid modern request', () => {
  test.each<[string, Post, status: number, code: number]>([
    ['no version header', withHeaders(MODERN_CALL, { [VERSION]: undefined }), 400, -32020],
    ['another version in the header', withHeaders(MODERN_CALL, { [VERSION]: '2025-11-25' }), 400, -32020],
    ['a later version in the header', withHeaders(MODERN_CALL, { [VERSION]: '2099-01-01' }), 400, -32020],
    ['no Mcp-Method', withHeaders(MODERN_CALL, { 'mcp-method': undefined }), 400, -32020],
    ['another Mcp-Method', withHeaders(MODERN_CALL, { 'mcp-method': 'tools/list' }), 400, -32020],
    ['Mcp-Method in capitals', withHeaders(MODERN_CALL, { 'mcp-method': 'TOOLS/CALL' }), 400, -32020],
    [
      'Mcp-Method in base64, which is for names only',
      withHeaders(MODERN_CALL, { 'mcp-method': base64('tools/call') }),
      400,
      -32020,
    ],
    ['no Mcp-Name for a tool', withHeaders(MODERN_CALL, { 'mcp-name': undefined }), 400, -32020],
    ['another Mcp-Name for a tool', withHeaders(MODERN_CALL, { 'mcp-name': 'send_task' }), 400, -32020],
    ['an empty Mcp-Name', withHeaders(MODERN_CALL, { 'mcp-name': '' }), 400, -32020],
    [
      'another Mcp-Name for a prompt',
      withHeaders(modernPost('prompts/get', { name: 'check_inbox' }), { 'mcp-name': 'x' }),
      400,
      -32020,
    ],
    [
      'another Mcp-Name for a resource',
      withHeaders(modernPost('resources/read', { uri: 'hub://status' }), { 'mcp-name': 'hub://inbox/a' }),
      400,
      -32020,
    ],
    ['base64 of another name', withHeaders(MODERN_CALL, { 'mcp-name': base64('send_task') }), 400, -32020],
    [
      'base64 without its padding',
      withHeaders(MODERN_CALL, { 'mcp-name': base64('get_all_status').replace('=?=', '?=') }),
      400,
      -32020,
    ],
    ['base64 of other characters', withHeaders(MODERN_CALL, { 'mcp-name': '=?base64?Z2V0!!!?=' }), 400, -32020],
    ['base64 of invalid UTF-8', withHeaders(MODERN_CALL, { 'mcp-name': '=?base64?//79?=' }), 400, -32020],
    [
      'base64 under another spelling',
      withHeaders(MODERN_CALL, { 'mcp-name': base64('get_all_status').replace('base64', 'BASE64') }),
      400,
      -32020,
    ],
    ['no _meta', withMeta(undefined), 400, -32602],
    ['a _meta that is text', withMeta('x'), 400, -32602],
    ['a _meta without version', withMeta(META_WITHOUT_VERSION), 400, -32602],
    ['a _meta without capabilities', withMeta(META_WITHOUT_CAPABILITIES), 400, -32602],
    [
      'capabilities that are a list',
      withMeta({ ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': [] }),
      400,
      -32602,
    ],
    [
      'a version that is a number',
      withMeta({ ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': 20260728 }),
      400,
      -32602,
    ],
    [
      'a version that is null',
      withMeta({ ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': null }),
      400,
      -32602,
    ],
    ['a future version', withMeta(META_OF_2099, '2099-01-01'), 400, -32022],
    ['a future version without _meta', withMeta(undefined, '2099-01-01'), 400, -32602],
    [
      'an invalid version',
      withMeta({ ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': 'v9' }, 'v9'),
      400,
      -32022,
    ],
    [
      'a version with a handshake',
      withMeta({ ...MODERN_META, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }, '2025-11-25'),
      400,
      -32022,
    ],
    ['initialize', modernPost('initialize', {}), 404, -32601],
    ['ping', modernPost('ping'), 404, -32601],
    ['logging/setLevel', modernPost('logging/setLevel', { level: 'info' }), 404, -32601],
    ['resources/subscribe', modernPost('resources/subscribe', { uri: 'hub://status' }), 404, -32601],
    ['an unknown method', modernPost('tools/forget'), 404, -32601],
    ['a method named like an Object.prototype member', modernPost('constructor'), 404, -32601],
    ['a batch', { headers: MODERN_CALL.headers, message: [MODERN_CALL.message] }, 400, -32600],
    ['a batch of a modern message without headers', { headers: {}, message: [MODERN_CALL.message] }, 400, -32600],
    ['an id that is null', modernPost('tools/list', {}, null), 400, -32600],
    ['an unknown tool', modernPost('tools/call', { name: 'forget_task' }), 200, -32602],
    ['a tool without name', modernPost('tools/call', {}), 200, -32602],
    ['arguments in a list', modernPost('tools/call', { name: 'get_task', arguments: [] }), 200, -32602],
    ['an unknown prompt', modernPost('prompts/get', { name: 'x' }), 200, -32602],
    ['an unknown resource', modernPost('resources/read', { uri: 'hub://nothing' }), 200, -32602],
    ['an empty subscription', modernPost('subscriptions/listen', {}), 200, -32602],
  ])('%s', async (_, post, status, code) => {
    const { status: received, body } = await ask(post);
    expect({ status: received, body }).toMatchObject({
      status,
      body: { jsonrpc: '2.0', error: { code, message: expect.stringMatching(/^[^\n]+$/) } },
    });
  });

  test('gets a response with its id, or without one if the id cannot be read', async () => {
    expect((await ask(modernPost('ping', {}, 'seven'))).body).toMatchObject({ id: 'seven' });
    expect((await ask(modernPost('ping', {}, {}))).body).not.toHaveProperty('id');
  });

  test('with an unknown version gets the list of supported versions', async () => {
    const { body } = await ask(withMeta(META_OF_2099, '2099-01-01'));
    expect(body?.error).toMatchObject({ data: { supported: [MODERN_VERSION], requested: '2099-01-01' } });
  });
});

function base64(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

describe('a modern request', () => {
  test.each<[string, Post]>([
    ['a valid one', MODERN_CALL],
    ['whose name comes in base64', withHeaders(MODERN_CALL, { 'mcp-name': base64('get_all_status') })],
    ['without a name for the client', withMeta(metaWithoutClient())],
    ['with an unexpected name', withHeaders(modernPost('tools/list'), { 'mcp-name': 'whatever' })],
    ['with an old session', withHeaders(modernPost('tools/list'), { 'mcp-session-id': 'x', 'last-event-id': '7' })],
    ['that accepts none of the media types', withHeaders(modernPost('tools/list'), { accept: 'text/html' })],
  ])('%s gets the fields common to all results', async (_, post) => {
    const { status, body } = await ask(post);
    expect(status).toBe(200);
    expect(body?.result).toMatchObject({
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'agenthub', version: '0.0.0-test' } },
    });
  });

  test('compares names in other scripts after decoding', async () => {
    const { headers, message } = modernPost('resources/read', { uri: 'hub://inbox/张三' });
    const { status, body } = await ask(withHeaders({ headers, message }, { 'mcp-name': base64('hub://inbox/张三') }));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { result: { contents: [{ uri: 'hub://inbox/张三' }] } },
    });
  });

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'server/discover'])(
    '%s can be cached by any client for a while',
    async (method) => {
      expect((await ask(modernPost(method))).body?.result).toMatchObject({ ttlMs: 300_000, cacheScope: 'public' });
    },
  );

  test('resources/read cannot be cached, and a tool result has no cache fields', async () => {
    expect((await ask(modernPost('resources/read', { uri: 'hub://status' }))).body?.result).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    });
    expect((await ask(MODERN_CALL)).body?.result).not.toHaveProperty('ttlMs');
  });

  test('server/discover lists exactly the supported features', async () => {
    const { body } = await ask(DISCOVER);
    expect(body?.result).toEqual({
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'public',
      supportedVersions: [MODERN_VERSION],
      instructions: expect.any(String),
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'agenthub', version: '0.0.0-test' } },
    });
  });

  test('a notification is accepted whatever its headers', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: MODERN_META, requestId: 1 } };
    expect(await ask({ headers: {}, message })).toEqual({ status: 202, body: undefined });
    expect(await ask({ headers: { [VERSION]: MODERN_VERSION, 'mcp-method': 'x' }, message })).toEqual({
      status: 202,
      body: undefined,
    });
  });
});

function metaWithoutClient() {
  const { 'io.modelcontextprotocol/clientInfo': _client, ...meta } = MODERN_META;
  return meta;
}

const PING = legacyPost('ping');

describe('an invalid legacy request', () => {
  test.each<[string, Post, status: number, code: number]>([
    ['an unknown version header', withHeaders(PING, { [VERSION]: '2025-01-01' }), 400, -32022],
    ['an invalid version header', withHeaders(PING, { [VERSION]: 'latest' }), 400, -32022],
    ['an empty version header', withHeaders(PING, { [VERSION]: '' }), 400, -32022],
    ['two version headers', withHeaders(PING, { [VERSION]: '2025-06-18, 2025-06-18' }), 400, -32022],
    [
      'a notification of an unknown version',
      { headers: { [VERSION]: '1' }, message: { jsonrpc: '2.0', method: 'notifications/initialized' } },
      400,
      -32022,
    ],
    ['an empty batch', { headers: {}, message: [] }, 400, -32600],
    ['a batch of 51', { headers: {}, message: Array(51).fill(PING.message) }, 400, -32600],
    ['a batch with something else in it', { headers: {}, message: [PING.message, 7] }, 400, -32600],
    ['a batch in a batch', { headers: {}, message: [[PING.message]] }, 400, -32600],
    [
      'a batch that begins with a handshake',
      { headers: {}, message: [legacyPost('initialize', {}).message] },
      400,
      -32600,
    ],
    ['a batch of 2025-06-18', { headers: { [VERSION]: '2025-06-18' }, message: [PING.message] }, 400, -32600],
    ['a batch of 2025-11-25', { headers: { [VERSION]: '2025-11-25' }, message: [PING.message] }, 400, -32600],
    ['server/discover', legacyPost('server/discover'), 200, -32601],
    ['subscriptions/listen', legacyPost('subscriptions/listen', { notifications: {} }), 200, -32601],
    ['resources/subscribe', legacyPost('resources/subscribe', { uri: 'hub://status' }), 200, -32601],
    ['an unknown log level', legacyPost('logging/setLevel', { level: 'loud' }), 200, -32602],
    ['no log level', legacyPost('logging/setLevel'), 200, -32602],
    ['an unknown resource', legacyPost('resources/read', { uri: 'hub://nothing' }), 200, -32002],
    ['an unknown prompt', legacyPost('prompts/get', { name: 'x' }), 200, -32602],
    [
      'a tool name that cannot be converted to a string',
      legacyPost('tools/call', { name: { toString: 1, valueOf: 1 } }),
      200,
      -32602,
    ],
    [
      'a prompt name that cannot be converted to a string',
      legacyPost('prompts/get', { name: { toString: 1, valueOf: 1 } }),
      200,
      -32602,
    ],
  ])('%s', async (_, post, status, code) => {
    expect(await ask(post)).toMatchObject({
      status,
      body: { jsonrpc: '2.0', error: { code, message: expect.any(String) } },
    });
  });
});

describe('a legacy request', () => {
  test.each([undefined, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'of version %s is served, without fields of the other era',
    async (version) => {
      const { status, body } = await ask(
        withHeaders(legacyPost('tools/call', { name: 'get_all_status', arguments: {} }), { [VERSION]: version }),
      );
      expect(status).toBe(200);
      expect(Object.keys(objectOf(body ?? {}, 'result'))).toEqual(['content']);
    },
  );

  test('can carry its own _meta and stays legacy', async () => {
    const { status, body } = await ask(
      legacyPost('ping', { _meta: { progressToken: 7, 'io.modelcontextprotocol/clientInfo': { name: 'codex' } } }),
    );
    expect({ status, body }).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
  });

  test('initialize declares exactly the supported features', async () => {
    const { body } = await ask(legacyPost('initialize', { protocolVersion: '2025-06-18', capabilities: {} }));
    expect(objectOf(body ?? {}, 'result').capabilities).toEqual({
      tools: {},
      resources: {},
      prompts: {},
      completions: {},
    });
  });

  test.each(['debug', 'emergency'])(
    'can set the log level %s, though logging is not declared and nothing is logged',
    async (level) => {
      expect(await ask(legacyPost('logging/setLevel', { level }))).toEqual({
        status: 200,
        body: { jsonrpc: '2.0', id: 1, result: {} },
      });
    },
  );

  test('with an unknown version gets the list of supported versions of both eras', async () => {
    const { body } = await ask(withHeaders(PING, { [VERSION]: '2025-01-01' }));
    expect(body?.error).toMatchObject({
      data: {
        supported: [MODERN_VERSION, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
        requested: '2025-01-01',
      },
    });
  });
});

describe('a batch', () => {
  const CALLS = [
    legacyPost('ping', undefined, 'a').message,
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    legacyPost('tools/call', { name: 'get_all_status' }, 2).message,
    legacyPost('tools/forget', {}, 3).message,
    { jsonrpc: '2.0', id: 9, result: {} },
    legacyPost('tools/call', { name: 'get_inbox', arguments: { alias: 'bob', wait_seconds: 300 } }, 4).message,
  ];

  test.each([undefined, '2025-03-26'])('of version %s gets a response for each of its requests', async (version) => {
    const { status, body } = await ask(withHeaders({ headers: {}, message: CALLS }, { [VERSION]: version }));
    expect(status).toBe(200);
    expect(body?.batch).toEqual([
      { jsonrpc: '2.0', id: 'a', result: {} },
      {
        jsonrpc: '2.0',
        id: 2,
        result: { content: [{ type: 'text', text: '{"ok":true,"sessions":[],"summary":[]}' }] },
      },
      { jsonrpc: '2.0', id: 3, error: { code: -32601, message: expect.any(String) } },
      { jsonrpc: '2.0', id: 4, result: { content: [{ type: 'text', text: '{"ok":true,"messages":[]}' }] } },
    ]);
  });

  test('without requests gets a 202', async () => {
    expect(await ask({ headers: {}, message: [{ jsonrpc: '2.0', method: 'notifications/initialized' }] })).toEqual({
      status: 202,
      body: undefined,
    });
  });
});
