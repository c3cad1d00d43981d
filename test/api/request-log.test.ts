// The request log: one line per request, with an id that also appears in the response.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { passwordsBusy, storageFull, tooManyAMinute, unavailable } from '../../server/domain/errors.ts';
import { REQUESTS_LOGGED_A_MINUTE } from '../../server/domain/limits.ts';
import { openEvents } from '../support/http/event-reader.ts';
import { postRpc } from '../support/http/mcp-client.ts';
import { type RawRequest, sendRaw } from '../support/http/raw-request.ts';
import { PASSWORD, register } from '../support/http/rest-client.ts';
import { isObject, type JsonObject, objectIn } from '../support/json.ts';
import { launch } from '../support/process/hub-process.ts';
import { type RunningHub, startHub, storyOnce, temporaryDirectory } from '../support/process/running-hub.ts';
import { SETUP_TOKEN } from '../support/test-hub.ts';
import { serveTestHub } from './tenancy/served-hub.ts';

/** Of a request that is refused; on a busy machine, it may count as slow. */
function levelOf({ ms }: JsonObject): string {
  return Number(ms) > 1_000 ? 'warn' : 'info';
}

function requestsIn(hub: RunningHub): JsonObject[] {
  return hub
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map(objectIn)
    .filter(({ msg }) => msg === 'request');
}

/** The log line of the response with this id. */
async function lineOf(hub: RunningHub, id: string | string[] | undefined): Promise<JsonObject> {
  const found = (): JsonObject | undefined => requestsIn(hub).find(({ request_id }) => request_id === id);
  await expect.poll(found, { message: `the line of ${String(id)}` }).toBeDefined();
  const line = found();
  if (!isObject(line)) throw new Error('it was there a moment ago');
  return line;
}

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const UNKNOWN_TASK = rpc('tools/call', { name: 'get_task', arguments: { task_id: 'none' } });

storyOnce('the request log', (target) => {
  test('at level debug each request logs one line with its route, without its path or content', async () => {
    const hub = await startHub({ target, args: ['--log-level', 'debug'] });
    const { networkToken } = await register(hub.url);
    const response = await fetch(`${hub.url}/api/status/a-telling-alias?network_id=telling`, {
      headers: { Authorization: `Bearer ${networkToken}` },
    });
    const body = await response.text();
    const line = await lineOf(hub, response.headers.get('x-request-id') ?? '');
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      request_id: expect.stringMatching(/^\w{12}$/),
      method: 'GET',
      route: '/api/status/:alias',
      status: 403,
      error: 'permission_denied',
      ip: '127.0.0.1',
      ms: expect.any(Number),
      bytes: Buffer.byteLength(body),
      msg: 'request',
    });

    const sent = await postRpc(hub.url, networkToken, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'send_task', arguments: { alias: 'a-telling-alias', task: 'a telling text' } },
    });
    expect(await lineOf(hub, sent.headers.get('x-request-id') ?? '')).toMatchObject({
      level: 'debug',
      route: '/mcp',
      status: 200,
    });

    const stream = await openEvents(`${hub.url}/events/a-telling-alias?token=${networkToken}`, networkToken);
    await stream.next('heartbeat');
    await stream.close();
    await expect
      .poll(() => requestsIn(hub).find(({ route }) => route === '/events/:alias'))
      .toMatchObject({ status: 200, bytes: expect.any(Number) });

    for (const secret of ['telling', networkToken, networkToken.slice(5), PASSWORD])
      expect(hub.output()).not.toContain(secret);
  });

  test('at level info successful requests are not logged, and rejected ones are', async () => {
    const hub = await startHub({ target });
    const fine = await fetch(`${hub.url}/health`);
    const refused = await fetch(`${hub.url}/api/tasks`);
    await lineOf(hub, refused.headers.get('x-request-id') ?? '');
    expect(requestsIn(hub)).toMatchObject([{ status: 401, level: 'info', route: '/api/tasks' }]);
    expect(fine.headers.get('x-request-id')).toMatch(/^\w{12}$/);
  });

  test('the line of a refused request has its error code', async () => {
    const hub = await startHub({ target });
    const { networkToken } = await register(hub.url);
    const authorization = { Authorization: `Bearer ${networkToken}` };
    const json = { ...authorization, 'Content-Type': 'application/json' };
    const REFUSED: readonly (readonly [request: RawRequest, status: number, error: unknown])[] = [
      [{ method: 'GET', path: '/api/tasks' }, 401, 'unauthorized'],
      [{ method: 'GET', path: '/nothing', headers: authorization }, 404, 'not_found'],
      [{ method: 'PATCH', path: '/api/tasks', headers: authorization }, 405, 'method_not_allowed'],
      [{ path: '/api/tasks', headers: json, body: '{}' }, 400, 'invalid_request'],
      [{ path: '/api/tasks', headers: json, body: 'x'.repeat(1_100_000) }, 413, 'payload_too_large'],
      [{ method: 'GET', path: '/health', headers: { Host: 'evil.example' } }, 403, 'forbidden'],
      [{ method: 'GET', path: '/.well-known/oauth-authorization-server' }, 404, 'not_found'],
      [{ path: '/mcp', headers: json, body: '[]' }, 400, -32600],
      [{ path: '/mcp', headers: json, body: '{' }, 400, -32700],
      [{ path: '/mcp', body: '{}' }, 401, 'unauthorized'],
    ];
    for (const [request, status, error] of REFUSED) {
      const response = await sendRaw(hub.url, request);
      expect(response.status).toBe(status);
      expect(await lineOf(hub, response.headers['x-request-id'])).toMatchObject({ status, error });
    }
  });

  test('the line of a refused MCP call has its error code, although its status is 200', async () => {
    const hub = await startHub({ target });
    const { networkToken } = await register(hub.url);
    const fine = rpc('tools/call', { name: 'get_all_status' });
    const REFUSED: readonly (readonly [message: object, error: string | number])[] = [
      [rpc('tools/call', { name: 'send_task', arguments: { alias: 'bob' } }), 'invalid_arguments'],
      [UNKNOWN_TASK, 'task not found'],
      [rpc('tools/call', { name: 'wait_task', arguments: { task_id: 'none', timeout_seconds: 5 } }), 'task not found'],
      [rpc('nothing'), -32601],
      [rpc('tools/call', { name: 'nothing' }), -32602],
      [[fine, UNKNOWN_TASK, rpc('nothing'), fine], 'task not found'],
      [[fine, rpc('nothing'), UNKNOWN_TASK], -32601],
    ];
    for (const message of [fine, [fine, fine]]) await (await postRpc(hub.url, networkToken, message)).text();
    for (const [message, error] of REFUSED) {
      const response = await postRpc(hub.url, networkToken, message);
      await response.text();
      const line = await lineOf(hub, response.headers.get('x-request-id') ?? '');
      expect(line).toMatchObject({ level: levelOf(line), route: '/mcp', status: 200, error });
    }
    expect(
      requestsIn(hub)
        .filter(({ error }) => error === undefined)
        .map(levelOf),
    ).not.toContain('info');
    expect(requestsIn(hub).filter(({ error }) => error !== undefined)).toHaveLength(REFUSED.length);
  });

  test('a wait that is refused after it has begun logs its status and error', async () => {
    const hub = await startHub({ target, args: ['--max-waits-per-user', '1'] });
    const { networkToken } = await register(hub.url);
    const wait = (signal?: AbortSignal) =>
      fetch(`${hub.url}/mcp`, {
        method: 'POST',
        ...(signal && { signal }),
        headers: {
          Authorization: `Bearer ${networkToken}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'get_inbox', arguments: { alias: 'bob', wait_seconds: 60 } },
        }),
      });
    const leaving = new AbortController();
    const first = await wait(leaving.signal);
    const second = await wait();
    expect([first.status, second.status]).toEqual([200, 429]);
    expect(await lineOf(hub, second.headers.get('x-request-id') ?? '')).toMatchObject({
      status: 429,
      error: 'rate_limited',
      route: '/mcp',
    });
    leaving.abort();
  });

  test('a valid request id from the caller is kept, and any other is replaced', async () => {
    const hub = await startHub({ target });
    const ask = async (id: string) =>
      (await sendRaw(hub.url, { method: 'GET', path: '/health', headers: { 'X-Request-Id': id } })).headers[
        'x-request-id'
      ];
    for (const id of ['0b6f6f1e-8a52-4a52-9d0e-0f3c2a1b7c11', 'a', 'trace/1:2=+@.x_y', 'x'.repeat(128)])
      expect(await ask(id)).toBe(id);
    for (const id of ['', 'x'.repeat(129), 'two words', '{"a":1}', 'ümlaut', 'a;b', '"'])
      expect(await ask(id)).toMatch(/^\w{12}$/);
  });

  test('text format is also one line, for human readers', async () => {
    const text = launch({
      target,
      args: ['serve', '--port', '0', '--data', temporaryDirectory(), '--log-level', 'debug', '--log-format', 'text'],
    });
    onTestFinished(async () => {
      text.child.kill('SIGKILL');
      await text.ended;
    });
    await expect.poll(text.stdout).toContain('agenthub listens on');
    const [, url = ''] = /listens on (\S+)/.exec(text.stdout()) ?? [];
    const { headers } = await fetch(`${url}/health?token=telling`);
    await expect
      .poll(text.stdout)
      .toMatch(
        new RegExp(
          `^\\[[-\\d]{10} [\\d:]{8}\\] DEBUG: request GET /health 200 \\d+ ms \\d+ B 127\\.0\\.0\\.1 ${headers.get('x-request-id')}$`,
          'm',
        ),
      );
    expect(text.stdout()).not.toContain('telling');
  });
});

test('an internal error is logged with the request id and route, and the response reveals no details', async () => {
  const { url, logged } = await serveTestHub((hub) => ({
    ...hub,
    store: { ...hub.store, read: () => Promise.reject(new Error('a telling reason')) },
  }));
  const response = await fetch(`${url}/api/tasks/a-telling-id?token=telling`, {
    headers: { Authorization: 'Bearer ntok_telling' },
  });
  const failed = await fetch(`${url}/health`);
  expect([response.status, failed.status, await failed.text()]).toEqual([
    401,
    500,
    expect.not.stringContaining('telling'),
  ]);
  await expect
    .poll(() => logged.filter((line) => line.includes(failed.headers.get('x-request-id') ?? '?')))
    .toMatchObject([
      expect.stringMatching(/^error request failed .*a telling reason.*"route":"\/health"/),
      expect.stringMatching(/^error request .*"status":500/),
    ]);
  expect(logged.join('\n').replaceAll('a telling reason', '')).not.toContain('telling');
});

test.each([
  ['warn', 200, 'storage_full', storageFull()],
  ['warn', 200, 'unavailable', unavailable('later')],
  ['info', 200, 'rate_limited', tooManyAMinute('requests', 1, 'key', 1)],
  ['error', 500, 'internal_error', new Error('a broken disk')],
])('at level %s and with status %i, a send over MCP that fails is logged as %s', async (level, status, code, error) => {
  const { hub, url, logged } = await serveTestHub();
  const { networkToken } = await register(url, 'ada', SETUP_TOKEN);
  hub.store.write = () => Promise.reject(error);
  const send = rpc('tools/call', { name: 'send_message', arguments: { alias: 'bob', message: 'hello' } });
  for (const message of [send, [send]]) {
    const response = await postRpc(url, networkToken, message);
    await response.text();
    expect(response.status).toBe(Array.isArray(message) ? 200 : status);
    const id = response.headers.get('x-request-id') ?? '?';
    await expect
      .poll(() => logged.filter((line) => / request \{/.test(line) && line.includes(id)))
      .toEqual([expect.stringMatching(new RegExp(`^${level} .*"error":"${code}"`))]);
  }
  const { failedSends } = hub.metrics;
  expect(Object.entries(failedSends).filter(([, count]) => count > 0)).toEqual(code in failedSends ? [[code, 2]] : []);
});

test('unauthenticated requests cannot fill the disk with log lines', async () => {
  const { hub, url, logged } = await serveTestHub();
  const ask = async () => (await fetch(`${url}/api/tasks`)).text();
  const named = () => logged.filter((line) => line.startsWith('info request')).length;
  for (let count = 0; count < REQUESTS_LOGGED_A_MINUTE + 50; count += 50)
    await Promise.all(Array.from({ length: 50 }, ask));
  await expect.poll(named).toBe(REQUESTS_LOGGED_A_MINUTE);
  expect(
    logged.filter((line) => line.includes(`${REQUESTS_LOGGED_A_MINUTE} requests refused in this minute`)),
  ).toHaveLength(1);
  hub.clock.advance(60_000);
  await ask();
  await expect.poll(named).toBe(REQUESTS_LOGGED_A_MINUTE + 1);
});

test('rejected logins on a busy hub cannot fill the log', async () => {
  const verify = () => Promise.reject(passwordsBusy());
  const { url, logged } = await serveTestHub((hub) => ({ ...hub, passwords: { ...hub.passwords, verify } }));
  const headers = (index: number) => ({
    'Content-Type': 'application/json',
    'X-Forwarded-For': `10.0.${index >> 8}.${index & 255}`,
  });
  const login = async (index: number) => {
    const body = JSON.stringify({ username: `user_${index}`, password: 'a guess' });
    const response = await fetch(`${url}/api/auth/login`, { method: 'POST', headers: headers(index), body });
    await response.text();
    return response.status;
  };
  for (let count = 0; count < REQUESTS_LOGGED_A_MINUTE + 50; count += 50) {
    expect(await Promise.all(Array.from({ length: 50 }, (_, index) => login(count + index)))).toEqual(
      Array(50).fill(503),
    );
  }
  await expect
    .poll(() => logged.filter((line) => line.startsWith('warn request')).length)
    .toBe(REQUESTS_LOGGED_A_MINUTE);
});

test('slow requests do not fill the log', async () => {
  const { url, logged } = await serveTestHub((hub) => ({
    ...hub,
    store: {
      ...hub.store,
      read: async (...all) => {
        await sleep(1_100);
        return hub.store.read(...all);
      },
    },
  }));
  const ask = async () => (await fetch(`${url}/health`)).status;
  const count = REQUESTS_LOGGED_A_MINUTE + 20;
  expect(new Set(await Promise.all(Array.from({ length: count }, ask)))).toEqual(new Set([200]));
  await expect
    .poll(() => logged.filter((line) => line.startsWith('warn request')).length)
    .toBe(REQUESTS_LOGGED_A_MINUTE);
  expect(
    logged.filter((line) =>
      line.includes(`${REQUESTS_LOGGED_A_MINUTE} requests took more than a second in this minute`),
    ),
  ).toHaveLength(1);
});
