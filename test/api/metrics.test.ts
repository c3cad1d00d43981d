// GET /metrics: Prometheus metrics without caller-chosen labels, readable only with authorization.
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { flushWriteBehind } from '../../server/operations/write-behind.ts';
import { scheduleSweeps } from '../../server/sweeps/schedule.ts';
import { openEvents } from '../support/http/event-reader.ts';
import { mcpClient } from '../support/http/mcp-client.ts';
import { sendRaw } from '../support/http/raw-request.ts';
import { restClient } from '../support/http/rest-client.ts';
import { type ServedHub, serveHub } from '../support/served-hub.ts';
import { ON_POSTGRES } from '../support/store/postgres.ts';
import { sendText } from '../support/stream-fixture.ts';

type Settings = Parameters<typeof serveHub>[0];

async function samples({ url }: Pick<ServedHub, 'url'>): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parsed(await response.text());
}

const SAMPLE = /^([a-z_][a-z_0-9]*)(\{(?:[a-z_]+="[^"\\]*",?)+\})? (-?[\d.e+-]+|Nan|[+-]Inf)$/;

/** Every line must be valid, every sample must follow its HELP and TYPE, and no sample can appear twice. */
function parsed(text: string): Map<string, number> {
  const found = new Map<string, number>();
  const declared = new Set<string>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, keyword, name = ''] = /^# (HELP|TYPE) (\S+) \S/.exec(line) ?? [];
    if (keyword === 'TYPE') expect(declared.size, `${name} is declared once`).toBe(declared.add(name).size - 1);
    if (keyword !== undefined) continue;
    const [, metric = '', labels = '', value] = SAMPLE.exec(line) ?? [];
    expect(declared.has(metric) || declared.has(metric.replace(/_(bucket|sum|count)$/, '')), line).toBe(true);
    expect(found.has(metric + labels), line).toBe(false);
    found.set(metric + labels, Number(value));
  }
  return found;
}

test('agent activity is counted: requests, operations, each stage of a delivery, streams', async () => {
  const hub = await serveHub();
  const agent = mcpClient(hub.url, hub.networkToken);
  await agent.call('report_status', { resume_id: 'r', alias: 'bob', status: 'idle' });
  const bob = await openEvents(`${hub.url}/events/bob`, hub.networkToken);
  const { task_id } = await agent.call('send_task', { alias: 'bob', task: 'a secret word', from_session: 'alice' });
  await bob.next('new_task');
  await flushWriteBehind(hub.hub);
  await agent.call('get_inbox', { alias: 'bob' });
  await agent.call('get_inbox', { alias: 'bob' });
  await agent.call('ack_inbox', { alias: 'bob', message_id: task_id });
  await agent.call('send_reply', { alias: 'alice', text: 'done', in_reply_to: task_id, from_session: 'bob' });
  await expect(agent.call('cancel_task', { task_id })).rejects.toThrow('task is terminal');

  const seen = await samples(hub);
  const wanted = {
    'agenthub_requests_total{method="POST",route="/mcp",status="200"}': 7,
    'agenthub_requests_total{method="GET",route="/events/:alias",status="200"}': 1,
    'agenthub_request_seconds_count{method="POST",route="/mcp"}': 7,
    'agenthub_operations_total{operation="get_inbox",outcome="ok"}': 2,
    'agenthub_operations_total{operation="cancel_task",outcome="refused"}': 1,
    'agenthub_operation_seconds_bucket{operation="get_inbox",le="+Inf"}': 2,
    'agenthub_sends_total{kind="task"}': 1,
    'agenthub_sends_total{kind="reply"}': 1,
    'agenthub_sends_total{kind="broadcast"}': 0,
    'agenthub_deliveries_total{stage="stored"}': 2,
    'agenthub_deliveries_total{stage="pushed"}': 1,
    'agenthub_deliveries_total{stage="fetched"}': 1,
    'agenthub_deliveries_total{stage="acknowledged"}': 1,
    'agenthub_deliveries_total{stage="started"}': 1,
    'agenthub_deliveries_total{stage="settled"}': 1,
    agenthub_event_streams_open: 1,
    'agenthub_info{version="0.0.0-test"}': 1,
  };
  expect(Object.fromEntries(Object.keys(wanted).map((key) => [key, seen.get(key)]))).toEqual(wanted);
  expect(seen.get('agenthub_commit_writes_count')).toBeGreaterThan(5);
  expect(seen.get('agenthub_commit_seconds_sum')).toBeGreaterThan(0);
  for (const name of ['agenthub_database_bytes', 'agenthub_wal_bytes'])
    expect(seen.get(name) ?? 0).toEqual(ON_POSTGRES ? 0 : expect.toSatisfy((bytes) => bytes > 4_096));
  expect(seen.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  await bob.close();
});

test('an item that expires unseen counts as settled, and a failed operation does not count as done', async () => {
  const hub = await serveHub();
  const agent = mcpClient(hub.url, hub.networkToken);
  for (const alias of ['a', 'b', 'c']) await agent.call('send_task', { alias, task: 'never', ttl_seconds: 1 });
  hub.hub.clock.advance(2_000);
  await agent.call('list_tasks', {});
  await expect(agent.call('send_task', { alias: 'a', task: '' })).rejects.toThrow('invalid_arguments');
  const seen = await samples(hub);
  expect(seen.get('agenthub_deliveries_total{stage="settled"}')).toBe(3);
  expect(seen.get('agenthub_deliveries_total{stage="stored"}')).toBe(3);
  expect(seen.get('agenthub_sends_total{kind="task"}')).toBe(3);
});

test('failed logins are counted, and successful ones are not', async () => {
  const hub = await serveHub();
  const visitor = restClient(hub.url);
  for (const password of ['wrong', 'secret', 'wrong'])
    await visitor.post('/api/auth/login', { username: 'ann', password });
  expect((await samples(hub)).get('agenthub_login_failures_total')).toBe(2);
});

test('sweeps are counted as they run', async () => {
  const hub = await serveHub();
  const schedule = scheduleSweeps(hub.hub, { forgetAddresses: async () => ({}), backUp: async () => ({}) });
  onTestFinished(() => schedule.stop());
  hub.hub.clock.advance(1_000);
  await expect
    .poll(async () => (await samples(hub)).get('agenthub_sweep_runs_total{sweep="flush-write-behind"}') ?? 0)
    .toBeGreaterThan(0);
  const seen = await samples(hub);
  expect(seen.get('agenthub_sweep_failures_total{sweep="flush-write-behind"}')).toBe(0);
  expect(seen.get('agenthub_sweep_seconds_total{sweep="flush-write-behind"}')).toBeGreaterThan(0);
});

test('a disconnected slow reader is counted', async () => {
  const hub = await serveHub();
  const socket = connect(Number(new URL(hub.url).port), '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  socket.write(`GET /events/bob?token=${hub.networkToken} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await expect.poll(async () => (await samples(hub)).get('agenthub_event_streams_open')).toBe(1);
  let sent = 0;
  await expect
    .poll(
      async () => {
        await Promise.all(Array.from({ length: 50 }, () => sendText(hub, `${++sent} ${'林'.repeat(9_000)}`)));
        return (await samples(hub)).get('agenthub_slow_readers_closed_total');
      },
      { timeout: 20_000 },
    )
    .toBe(1);
  await expect.poll(async () => (await samples(hub)).get('agenthub_event_streams_open')).toBe(0);
});

test('a hub that is about to stop is alive but not ready', async () => {
  const hub = await serveHub();
  const status = async (path: string) => (await fetch(`${hub.url}${path}`)).status;
  expect([await status('/health/live'), await status('/health/ready'), await status('/health')]).toEqual([
    200, 200, 200,
  ]);
  hub.hub.troubles.report('stopping', true);
  const response = await fetch(`${hub.url}/health/ready`);
  expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
    503,
    '5',
    { error: 'stopping', message: 'the hub is stopping' },
  ]);
  expect([await status('/health/live'), await status('/health')]).toEqual([200, 200]);
});

test('the buckets of a histogram increase up to its count', async () => {
  const hub = await serveHub();
  for (let count = 0; count < 5; count += 1) await fetch(`${hub.url}/health`);
  const seen = [...(await samples(hub))].filter(([key]) =>
    key.startsWith('agenthub_request_seconds_bucket{method="GET",route="/health"'),
  );
  const values = seen.map(([, value]) => value);
  expect(values.length).toBeGreaterThan(10);
  expect(values).toEqual([...values].sort((one, other) => one - other));
  expect(values.at(-1)).toBe(5);
});

test('a value that does not exist has no line, since alerts would take it for 0', async () => {
  const names = [...(await samples(await serveHub())).keys()];
  for (const name of ['agenthub_database_bytes', 'agenthub_wal_bytes']) expect(names.includes(name)).toBe(!ON_POSTGRES);
  expect(names.filter((name) => name.startsWith('agenthub_certificate'))).toEqual([]); // without TLS
});

test('no path, alias, query or status of a caller becomes a label', async () => {
  const hub = await serveHub();
  const user = restClient(hub.url, hub.networkToken);
  const ask = async (word: string): Promise<void> => {
    await user.get(`/api/status/${word}?token=${word}`);
    await user.get(`/nothing/${word}`);
    await fetch(`${hub.url}/${word}`, { headers: { Accept: 'text/html' } });
  };
  await ask('first');
  const before = [...(await samples(hub)).keys()];
  for (const word of ['second', 'third', '%E6%9E%97', 'x'.repeat(150)]) await ask(word);
  const after = [...(await samples(hub)).keys()];
  expect(
    after.filter((key) => key.startsWith('agenthub_') && !before.includes(key) && !key.includes('/metrics')),
  ).toEqual([]);
  expect(before.join()).not.toContain('first');
});

const TOKEN = 'a-token-for-the-scraper';
const REMOTE = '203.0.113.9';

test.each<[who: string, settings: Settings, headers: Record<string, string>, status: number]>([
  ['this machine', {}, {}, 200],
  ['this machine, when a token is set as well', { metrics_token: TOKEN }, {}, 200],
  ['this machine through a local proxy', { trust_proxy: 1 }, { 'X-Forwarded-For': '127.0.0.1' }, 200],
  ['this machine by name', { host: '0.0.0.0' }, { Host: 'localhost:9' }, 200],
  ['this machine by its IPv6 address', { host: '0.0.0.0' }, { Host: '[::1]:9' }, 200],
  ['a page with DNS rebinding', { host: '0.0.0.0' }, { Host: 'evil.example' }, 403],
  ['such a page under an allowed name', { allowed_hosts: ['evil.example'] }, { Host: 'evil.example:4747' }, 403],
  [
    'such a page through a local proxy',
    { host: '0.0.0.0', trust_proxy: 1 },
    { Host: 'evil.example', 'X-Forwarded-For': '127.0.0.1' },
    403,
  ],
  ['a name that only starts like localhost', { host: '0.0.0.0' }, { Host: '127.0.0.1.evil.example' }, 403],
  [
    'the token, under an allowed name',
    { host: '0.0.0.0', allowed_hosts: ['hub.example'], metrics_token: TOKEN },
    { Host: 'hub.example', Authorization: `Bearer ${TOKEN}` },
    200,
  ],
  ['a remote client behind a proxy', { trust_proxy: 1 }, { 'X-Forwarded-For': REMOTE }, 403],
  [
    'a remote client behind a proxy that claims to be local',
    { trust_proxy: 1 },
    { 'X-Forwarded-For': `127.0.0.1, ${REMOTE}` },
    403,
  ],
  [
    'a remote client behind two proxies, one of them trusted',
    { trust_proxy: 1 },
    { 'X-Forwarded-For': `${REMOTE}, 127.0.0.1` },
    403,
  ],
  ['a remote client behind an unexpected proxy', {}, { 'X-Forwarded-For': REMOTE }, 403],
  ['a remote client that claims to be local, behind an unexpected proxy', {}, { 'X-Forwarded-For': '127.0.0.1' }, 403],
  ['a remote client behind a proxy that uses another header', {}, { Forwarded: `for=${REMOTE}` }, 403],
  ['a remote client behind a proxy that names only itself', {}, { Via: '1.1 proxy' }, 403],
  [
    'a remote client with the token',
    { trust_proxy: 1, metrics_token: TOKEN },
    { 'X-Forwarded-For': REMOTE, Authorization: `Bearer ${TOKEN}` },
    200,
  ],
  [
    'a remote client with another token',
    { trust_proxy: 1, metrics_token: TOKEN },
    { 'X-Forwarded-For': REMOTE, Authorization: `Bearer ${TOKEN}x` },
    401,
  ],
  ['a remote client without the token', { trust_proxy: 1, metrics_token: TOKEN }, { 'X-Forwarded-For': REMOTE }, 401],
  ['this machine, where only the token is accepted', { metrics: 'token', metrics_token: TOKEN }, {}, 401],
  [
    'the token, where only it is accepted',
    { metrics: 'token', metrics_token: TOKEN },
    { Authorization: `Bearer ${TOKEN}` },
    200,
  ],
  ['this machine, where metrics are off', { metrics: 'off', metrics_token: TOKEN }, {}, 404],
  [
    'the token, where metrics are off',
    { metrics: 'off', metrics_token: TOKEN },
    { Authorization: `Bearer ${TOKEN}` },
    404,
  ],
])('%s', async (_, settings, headers, status) => {
  const hub = await serveHub(settings);
  const response = await sendRaw(hub.url, { method: 'GET', path: '/metrics', headers });
  expect(response.status).toBe(status);
  expect(JSON.stringify(response.body).includes('agenthub_info')).toBe(status === 200);
});

test('neither a user token nor an agent token allows remote access', async () => {
  const hub = await serveHub({ trust_proxy: 1, metrics_token: TOKEN });
  for (const token of [hub.userToken, hub.networkToken]) {
    const headers = { 'X-Forwarded-For': REMOTE, Authorization: `Bearer ${token}` };
    expect((await sendRaw(hub.url, { method: 'GET', path: '/metrics', headers })).status).toBe(401);
  }
});

test('what a hub knows about its cluster, and nothing of it on a file', async () => {
  const hub = await serveHub();
  const names = ['agenthub_cluster_hubs', 'agenthub_cluster_leader', 'agenthub_cluster_events_behind'];
  const seen = async () => {
    const found = await samples(hub);
    return names.map((name) => found.get(name));
  };
  await expect.poll(seen).toEqual(ON_POSTGRES ? [1, 1, 0] : [undefined, undefined, undefined]);
});
