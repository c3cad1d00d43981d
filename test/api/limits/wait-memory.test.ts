// What an open wait or subscription keeps of its request: the id and what it waits for, but not the body.
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_NAME, MAX_URI_BYTES } from '../../../server/domain/limits.ts';
import { collectGarbage } from '../../support/garbage.ts';
import { legacyPost, modernPost, type Post, send } from '../../support/http/mcp-posts.ts';
import { type ServedHub, serveHub } from '../../support/served-hub.ts';

const OPEN = 40;
const MIB = 1024 * 1024;
const PADDING = {
  padding: Array.from({ length: 5_000 }, (_, index) => `${index}`.padEnd(120, 'x')),
  text: 'x'.repeat(200_000),
};
const WAIT = { name: 'get_inbox', arguments: { alias: 'bob', wait_seconds: 300, ...PADDING } };

test.each<[string, Post]>([
  [
    'subscription',
    modernPost('subscriptions/listen', { notifications: { resourceSubscriptions: ['hub://inbox/bob'] }, ...PADDING }),
  ],
  ['wait', modernPost('tools/call', WAIT)],
  ['wait of a batch', { headers: {}, message: [legacyPost('tools/call', WAIT).message] }],
])('a %s does not retain a body of one mebibyte', async (_, { headers, message }) => {
  const hub = await serveHub();
  const body = Buffer.from(JSON.stringify(message));
  expect(body.length).toBeGreaterThan(0.7 * MIB);
  await open(hub, headers, body); // loads lazy modules
  const before = bytesInUse();
  for (let number = 1; number < OPEN; number++) await open(hub, headers, body);
  expect(hub.app.mcp.count()).toBe(OPEN);
  expect((bytesInUse() - before) / OPEN / MIB).toBeLessThan(0.25);
});

/** Resolves once the hub holds the request: a stream has begun, or the wait of a batch is counted. */
async function open(hub: ServedHub, headers: Record<string, string>, body: Buffer): Promise<void> {
  const opened = hub.app.mcp.count() + 1;
  const post: ClientRequest = request(`${hub.url}/mcp`, {
    method: 'POST',
    agent: false,
    headers: {
      ...headers,
      authorization: `Bearer ${hub.networkToken}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
  });
  post.on('error', () => {});
  onTestFinished(() => void post.destroy());
  post.end(body);
  if (headers['mcp-method'] !== undefined) {
    const [response]: IncomingMessage[] = await once(post, 'response');
    expect(response?.statusCode).toBe(200);
  }
  await expect.poll(() => hub.app.mcp.count(), { interval: 2, timeout: 10_000 }).toBe(opened);
}

function bytesInUse(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test.each([
  ['a URI', `hub://other/${'x'.repeat(MAX_URI_BYTES)}`, `a resource URI must have at most ${MAX_URI_BYTES} bytes`],
  ['an alias', `hub://inbox/${'x'.repeat(MAX_NAME + 1)}`, `alias must have at most ${MAX_NAME} characters`],
])('%s that is too long is rejected by name', async (_, uri, message) => {
  const hub = await serveHub();
  const error = { code: -32602, message };
  for (const [method, params] of [
    ['subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }],
    ['resources/read', { uri }],
  ] as const) {
    expect(await (await send(hub.url, hub.networkToken, modernPost(method, params))).json()).toMatchObject({ error });
  }
});

test('an alias of 200 characters in any script can be subscribed to', async () => {
  const hub = await serveHub();
  const uri = `hub://inbox/${'𝛼'.repeat(MAX_NAME)}`;
  const leaving = new AbortController();
  const post = modernPost('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } });
  const response = await send(hub.url, hub.networkToken, post, {}, leaving.signal);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  leaving.abort();
});

test.each([
  [
    'id',
    { ...legacyPost('ping'), message: { jsonrpc: '2.0', id: 'x'.repeat(201), method: 'ping' } },
    -32600,
    'id must have at most 200 characters',
  ],
  [
    'progressToken',
    legacyPost('tools/call', {
      name: 'get_inbox',
      arguments: { alias: 'bob', wait_seconds: 1 },
      _meta: { progressToken: 'x'.repeat(201) },
    }),
    -32602,
    '_meta.progressToken must have at most 200 characters',
  ],
])('a long %s, which every message would repeat, is rejected', async (_, post, code, message) => {
  const hub = await serveHub();
  expect(await (await send(hub.url, hub.networkToken, post)).json()).toMatchObject({ error: { code, message } });
});
