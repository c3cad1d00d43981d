// When the hub reads a request body and how much of it: only after it knows the route and the sender, within per-sender
// and total limits, and only while the sender is authorized.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import Koa from 'koa';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  GUARANTEED_BODIES_BYTES,
  MAX_BODIES_BYTES,
  MAX_BODIES_BYTES_PER_ADDRESS,
  MAX_BODIES_BYTES_PER_USER,
  MAX_BODY_BYTES,
  MAX_JSON_MEMBERS,
  MAX_PUBLIC_BODY_BYTES,
  MEBIBYTE,
  UNSHARED_BODY_BYTES,
} from '../../../server/domain/limits.ts';
import { type BodyBudget, openBodyBudget } from '../../../server/http/bodies/budget.ts';
import { isTooSlow } from '../../../server/http/bodies/pace.ts';
import { hookBody, openBodies } from '../../../server/http/bodies/read-body.ts';
import { perform } from '../../../server/operations/operation.ts';
import { createToken } from '../../../server/operations/tokens/create-token.ts';
import { identify } from '../../../server/operations/tokens/identify.ts';
import { revokeToken } from '../../../server/operations/tokens/revoke-token.ts';
import { beginPost } from '../../support/http/half-sent.ts';
import { restClient } from '../../support/http/rest-client.ts';
import { type JsonObject, objectIn } from '../../support/json.ts';
import { type ServedHub, serveHub } from '../../support/served-hub.ts';

type Reply = { status: number; head: string; body: JsonObject };
type Begun = { socket: Socket; response(): Promise<Reply> };
type Beginning = { token?: string; method?: string; announced?: number | 'in chunks'; sent?: number };

const OPENING = '{"alias":';
const CHUNK = `{"alias":"${'x'.repeat(100_000)}`;

/** Declares a body and sends only the beginning. */
async function begin(
  { url }: ServedHub,
  path: string,
  { token, method = 'POST', announced = MAX_BODY_BYTES, sent = OPENING.length }: Beginning = {},
): Promise<Begun> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const authorization = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  const length = announced === 'in chunks' ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    length,
    ...authorization,
  ];
  socket.write(
    `${lines.join('\r\n')}\r\n\r\n${announced === 'in chunks' ? `${CHUNK.length.toString(16)}\r\n${CHUNK}\r\n` : OPENING.padEnd(sent, ' ').slice(0, sent)}`,
  );
  return { socket, response: () => responseOn(socket) };
}

async function responseOn(socket: Socket): Promise<Reply> {
  let text = '';
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
    text += String(bytes);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Infinity);
    if (body.length >= length) return { status: Number(head.slice(9, 12)), head, body: objectIn(body) };
  }
  throw new Error(`the connection ended after ${text}`);
}

describe('requests rejected before their body is read', () => {
  test.each([
    ['POST', '/nowhere', 404, 'not_found'],
    ['POST', '/api/nothing', 404, 'not_found'],
    ['PUT', '/mcp', 405, 'method_not_allowed'],
    ['PUT', '/api/tasks', 405, 'method_not_allowed'],
    ['POST', '/health', 405, 'method_not_allowed'],
    ['POST', '/api/tasks', 401, 'unauthorized'],
    ['POST', '/mcp', 401, 'unauthorized'],
    ['POST', '/hooks/claude-code', 401, 'unauthorized'],
    ['GET', '/api/status', 401, 'unauthorized'],
    ['POST', '/api/auth/login', 413, 'payload_too_large'],
  ])('%s %s', async (method, path, status, error) => {
    const hub = await serveHub();
    const { response } = await begin(hub, path, { method });
    expect(await response()).toMatchObject({ status, body: { error } });
    expect(hub.app.bodies.bytes()).toBe(0);
  });

  test('the client can reuse the connection after it has sent the whole body', async () => {
    const hub = await serveHub();
    const { socket, response } = await begin(hub, '/nowhere');
    expect(await response()).toMatchObject({ status: 404 });
    socket.write('x'.repeat(MAX_BODY_BYTES - '{"alias":'.length));
    const next = responseOn(socket);
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await next).toMatchObject({ status: 200 });
  });

  test('a body larger than the discard limit closes the connection, and the response says so', async () => {
    const hub = await serveHub();
    const { response } = await begin(hub, '/nowhere', { announced: 2 ** 40 });
    expect((await response()).head).toMatch(/^connection: close\r?$/im);
  });
});

describe('endpoints without authentication', () => {
  test.each(['/api/auth/register', '/api/auth/login', '/api/networks/preview'])('%s accepts 16 KiB', async (path) => {
    const hub = await serveHub();
    const { post } = restClient(hub.url);
    const filling = (bytes: number) => ({
      username: 'x',
      padding: 'x'.repeat(bytes - '{"username":"x","padding":""}'.length),
    });
    expect((await post(path, filling(MAX_PUBLIC_BODY_BYTES))).status).not.toBe(413);
    expect(await post(path, filling(MAX_PUBLIC_BODY_BYTES + 1))).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large', message: 'a request body may have at most 16 KiB' },
    });
  });
});

describe('the number of JSON members', () => {
  const list = (length: number) => ({ alias: 'bob', message: 'x', more: Array.from({ length }, () => 1) });
  const TOO_MANY = 'the body must have at most 10000 members and list items in total';

  test('is limited, and the error names the limit', async () => {
    const hub = await serveHub();
    const { post } = restClient(hub.url, hub.networkToken);
    expect((await post('/api/messages', list(MAX_JSON_MEMBERS - 3))).status).toBe(200);
    expect(await post('/api/messages', list(MAX_JSON_MEMBERS - 2))).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', message: TOO_MANY },
    });
    expect(await post('/mcp', list(MAX_JSON_MEMBERS))).toMatchObject({
      status: 400,
      body: { error: { code: -32700, message: TOO_MANY } },
    });
  });

  test('excludes ignored members of a hook event, such as tool output', async () => {
    const hub = await serveHub();
    const event = {
      hook_event_name: 'PostToolUse',
      session_id: 'c-1',
      cwd: '/src',
      tool_response: list(500_000),
      tool_input: { text: '\u0001'.repeat(500_000) },
    };
    const { post } = restClient(hub.url, hub.networkToken);
    expect((await post('/hooks/claude-code?alias=bob', event)).status).toBe(200);
    expect(await post('/hooks/claude-code?alias=bob', { ...event, cwd: 'x'.repeat(3_000) })).toMatchObject({
      status: 400,
      body: { message: 'cwd must have at most 2000 characters' },
    });
    expect((await post('/hooks/claude-code?alias=bob', { ...event, cwd: 'x'.repeat(MAX_BODY_BYTES) })).status).toBe(
      413,
    );
    expect((await post('/hooks/claude-code?alias=bob', { text: 'x'.repeat(8 * MAX_BODY_BYTES) })).status).toBe(413);
  });
});

test('memory is released when connections close while parts of their bodies are queued', async () => {
  const bodies = openBodies();
  const requests: IncomingMessage[] = [];
  const app = new Koa().use(async (ctx) => {
    requests.push(ctx.req);
    await bodies.read(ctx, { id: 'bob', max: MAX_BODIES_BYTES, kind: 'authenticated' }, hookBody(['cwd']));
  });
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const body = JSON.stringify({ cwd: 'x'.repeat(MAX_BODY_BYTES / 2) });
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n`;
  const { port } = server.address() as AddressInfo;
  for (let count = 0; count < 30; count++)
    connect(port, '127.0.0.1')
      .on('error', () => {})
      .write(head + body);

  while (!(requests.length === 30 && requests.some((request) => request.isPaused()) && bodies.bytes() > 0))
    await setImmediate();
  for (const request of requests) request.socket.destroy();
  while (requests.some((request) => !request.destroyed)) await setImmediate();
  for (let turn = 0; turn < 30; turn++) await setImmediate(); // each runs at least one of the 30 queued parts
  expect(bodies.bytes()).toBe(0);
});

describe('memory for request bodies being read', () => {
  const arriving = (hub: ServedHub, bytes: number, announced = MAX_BODY_BYTES) =>
    begin(hub, '/api/messages', { token: hub.networkToken, announced, sent: bytes });

  test('has a share per user, released when a request completes or disconnects', async () => {
    const hub = await serveHub();
    const most = MAX_BODIES_BYTES_PER_USER / MAX_BODY_BYTES;
    const begun = await Promise.all(Array.from({ length: most }, () => arriving(hub, MAX_BODY_BYTES - 1)));
    await expect.poll(hub.app.bodies.bytes).toBeGreaterThanOrEqual(most * (MAX_BODY_BYTES - 1));
    const { status, headers, body } = await restClient(hub.url, hub.networkToken).post('/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
    });
    expect({ status, retry: headers.get('retry-after'), body }).toMatchObject({
      status: 503,
      retry: '5',
      body: { error: 'unavailable', message: expect.stringContaining('16 MiB') },
    });
    expect((await restClient(hub.url).post('/api/auth/login', { username: 'ann', password: 'secret' })).status).toBe(
      200,
    ); // another user's share
    begun.forEach(({ socket }) => socket.resetAndDestroy());
    await expect.poll(hub.app.bodies.bytes).toBe(0);
    expect(
      (await restClient(hub.url, hub.networkToken).post('/api/messages', { alias: 'bob', message: 'x' })).status,
    ).toBe(200);
    expect(hub.app.bodies.bytes()).toBe(0);
  });

  test('has a share per address for requests without a token', async () => {
    const hub = await serveHub();
    const most = MAX_BODIES_BYTES_PER_ADDRESS / MAX_PUBLIC_BODY_BYTES;
    const nearlyAll = { announced: MAX_PUBLIC_BODY_BYTES, sent: MAX_PUBLIC_BODY_BYTES - 1 };
    await Promise.all(Array.from({ length: most }, () => begin(hub, '/api/networks/preview', nearlyAll)));
    await expect.poll(hub.app.bodies.bytes).toBeGreaterThanOrEqual(most * nearlyAll.sent);
    expect((await restClient(hub.url).post('/api/networks/preview', { invite_code: 'x'.repeat(most) })).status).toBe(
      503,
    );
    expect(
      (await restClient(hub.url, hub.networkToken).post('/api/messages', { alias: 'bob', message: 'x' })).status,
    ).toBe(200);
  });

  test.each([
    ['announced', 1, MAX_BODY_BYTES],
    ['announced', 200_000, MAX_BODY_BYTES],
    ['without a declared length', CHUNK.length, 'in chunks' as const],
  ])('is at most twice the bytes received: %s, %i bytes', async (_, sent, announced) => {
    const hub = await serveHub();
    const { socket } = await begin(hub, '/api/messages', { token: hub.networkToken, announced, sent });
    await expect.poll(hub.app.bodies.bytes).toBeGreaterThanOrEqual(sent);
    expect(hub.app.bodies.bytes()).toBeLessThanOrEqual(Math.max(4_096, 2 * sent));
    socket.resetAndDestroy();
    await expect.poll(hub.app.bodies.bytes).toBe(0);
  });
});

describe('total memory for request bodies', () => {
  const sender = (id: number) => ({ id: `user-${id}`, max: MAX_BODIES_BYTES_PER_USER, kind: 'authenticated' }) as const;

  /** Sends bodies of 1 MiB until one is rejected. Returns how many were accepted. */
  function takeAll({ hold }: BodyBudget, id: number): number {
    for (let count = 0; ; count++) {
      try {
        hold(sender(id)).take(MAX_BODY_BYTES);
      } catch {
        return count;
      }
    }
  }

  test('leaves room for later senders, and small bodies are always accepted', () => {
    const budget = openBodyBudget();
    const got = Array.from({ length: 20 }, (_, id) => takeAll(budget, id));
    expect(got[0]).toBe(16);
    expect(got.slice(0, 8).every((count) => count > 0)).toBe(true);
    const small = budget.hold(sender(99));
    expect(() => small.take(UNSHARED_BODY_BYTES)).not.toThrow();
    expect(() => Array.from({ length: 100 }, () => budget.hold(sender(99)).take(UNSHARED_BODY_BYTES))).not.toThrow();
  });

  test('is never exceeded, and the error names the limit', () => {
    const budget = openBodyBudget();
    for (let id = 0; id < 500; id++) takeAll(budget, id);
    const bodies = budget.bytes() / MAX_BODY_BYTES;
    expect(budget.bytes() - bodies * UNSHARED_BODY_BYTES).toBeLessThanOrEqual(MAX_BODIES_BYTES);
    expect(() => budget.hold(sender(999)).take(MAX_BODY_BYTES)).toThrow("exceed your share of the hub's 64 MiB;");
  });

  const small = 15 * 1024;

  /** How many senders are accepted when each holds this many small bodies. */
  function countSenders({ hold }: BodyBudget, kind: 'authenticated' | 'anonymous', bodiesEach: number): number {
    for (let id = 0; ; id++) {
      try {
        for (let count = 0; count < bodiesEach; count++)
          hold({ id: `${kind} ${id}`, max: MAX_BODIES_BYTES_PER_USER, kind }).take(small);
      } catch {
        return id;
      }
    }
  }

  test.each([
    ['authenticated', 64],
    ['anonymous', 16],
  ] as const)('is bounded for small bodies too: each of a %s, %i MiB together', (kind, mebibytes) => {
    const budget = openBodyBudget();
    expect(countSenders(budget, kind, 1)).toBe(Math.floor((mebibytes * MEBIBYTE) / small));
    const other = kind === 'authenticated' ? 'anonymous' : 'authenticated';
    expect(() => budget.hold({ id: 'other', max: MAX_BODIES_BYTES_PER_USER, kind: other }).take(small)).not.toThrow();
    expect(() => budget.hold({ id: 'one more', max: MAX_BODIES_BYTES_PER_USER, kind }).take(small)).toThrow(
      `exceed your share of the hub's ${mebibytes} MiB for small bodies`,
    );
  });

  test('is smaller on a machine with less memory', () => {
    expect(countSenders(openBodyBudget(0.25), 'authenticated', 1)).toBe(Math.floor((16 * MEBIBYTE) / small));
    expect(takeAll(openBodyBudget(0.25), 1)).toBe(6);
  });

  test('leaves room for small bodies from new senders when others use a lot', () => {
    const budget = openBodyBudget();
    const takeMany = (id: number): number => {
      for (let count = 0; ; count++) {
        try {
          budget.hold(sender(id)).take(UNSHARED_BODY_BYTES);
        } catch {
          return count;
        }
      }
    };
    const got = Array.from({ length: 32 }, (_, id) => takeMany(id));
    expect(got[0]).toBe((8 * MEBIBYTE) / UNSHARED_BODY_BYTES);
    expect(got.every((count) => count >= GUARANTEED_BODIES_BYTES / UNSHARED_BODY_BYTES)).toBe(true);
  });

  test('is released exactly once', () => {
    const budget = openBodyBudget();
    const hold = budget.hold(sender(1));
    hold.take(MAX_BODY_BYTES);
    hold.release();
    hold.release();
    expect(budget.bytes()).toBe(0);
    expect(takeAll(budget, 1)).toBe(16);
  });
});

describe('the upload rate of a body', () => {
  const KIB = 1024;

  test.each([
    ['a small one can be slow', { bytes: 1, elapsedMs: 50_000, idleMs: 19_000 }, false],
    ['none can stall', { bytes: 1, elapsedMs: 20_000, idleMs: 20_000 }, true],
    ['a larger one has a few seconds at first', { bytes: 65 * KIB, elapsedMs: 5_000, idleMs: 4_000 }, false],
    ['and then a minimum rate', { bytes: 79 * KIB, elapsedMs: 10_000, idleMs: 0 }, true],
    ['which a slow connection reaches', { bytes: 81 * KIB, elapsedMs: 10_000, idleMs: 0 }, false],
  ])('%s', (_, arrival, expected) => expect(isTooSlow(arrival)).toBe(expected));

  test('a stalled body gets a 408, the connection closes and its memory is released', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const hub = await serveHub();
    const { response, socket } = await begin(hub, '/api/messages', { token: hub.networkToken });
    while (hub.app.bodies.bytes() === 0) await setImmediate();
    vi.advanceTimersByTime(19_000);
    expect(hub.app.bodies.bytes()).toBeGreaterThan(0);
    vi.advanceTimersByTime(2_000);
    const { status, head, body } = await response();
    expect({ status, body }).toMatchObject({ status: 408, body: { error: 'request_timeout' } });
    expect(head).toMatch(/^connection: close\r?$/im);
    expect(hub.app.bodies.bytes()).toBe(0);
    socket.resume();
    if (!socket.closed) await once(socket, 'close');
  });
});

test('a request does not run if its sender loses authorization while the body arrives', async () => {
  const hub = await serveHub();
  const owner = await identify(hub.hub, hub.userToken, '127.0.0.1');
  if (owner === undefined) throw new Error('the owner is not known');
  const { token, token_id } = await perform(createToken, hub.hub, owner, {
    name: 'short',
    network_id: hub.caller.network_id,
  });
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_inbox', arguments: { alias: 'bob' } },
  };
  const begun = await beginPost(`${hub.url}/mcp`, token, call);
  await perform(revokeToken, hub.hub, owner, { token_id });
  expect(await begun.finish()).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
});
