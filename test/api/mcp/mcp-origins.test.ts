// Host and origin checks on every endpoint. They prevent DNS rebinding.
import { describe, expect, test } from 'vitest';
import type { Settings } from '../../../server/domain/settings.ts';
import { sendRaw } from '../../support/http/raw-request.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { startHub } from '../../support/process/running-hub.ts';
import { type ServedHub, serveHub } from '../../support/served-hub.ts';

type Endpoints = [
  endpoint: string,
  (hub: ServedHub) => { method: string; path: string; headers: Record<string, string>; body?: string },
][];

const TRANSPORTS: Endpoints = [
  [
    'REST',
    ({ userToken }) => ({ method: 'GET', path: '/api/networks', headers: { authorization: `Bearer ${userToken}` } }),
  ],
  ['the health check', () => ({ method: 'GET', path: '/health', headers: {} })],
  [
    'MCP',
    ({ networkToken }) => ({
      method: 'POST',
      path: '/mcp',
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      headers: { authorization: `Bearer ${networkToken}`, 'content-type': 'application/json' },
    }),
  ],
  // Only a rejected request to the event stream ends. Its invalid last event id is rejected after the host check.
  [
    'the event stream',
    ({ networkToken }) => ({
      method: 'GET',
      path: `/events/${'x'.repeat(201)}`,
      headers: { authorization: `Bearer ${networkToken}` },
    }),
  ],
  ['the console', () => ({ method: 'GET', path: '/', headers: { accept: 'text/html' } })],
];

const LOOPBACK = [
  'localhost',
  'localhost:4747',
  'LOCALHOST',
  'localhost.',
  'hub.localhost:80',
  '127.0.0.1',
  '127.0.0.1:1',
  '127.8.8.8',
  '[::1]',
  '[::1]:4747',
];
const FOREIGN = [
  'evil.example',
  'evil.example:4747',
  'localhost.evil.example',
  'evil-localhost',
  '127.0.0.1.evil.example',
  '192.168.0.7',
  '[fe80::1]',
  '0.0.0.0',
  '[::1]evil',
  'a@localhost',
  ':4747',
];

async function statusOf(
  settings: Partial<Settings>,
  endpoint: Endpoints[number],
  headers: Record<string, string>,
): Promise<number> {
  const hub = await serveHub(settings);
  const request = endpoint[1](hub);
  const { status, body } = await sendRaw(hub.url, { ...request, headers: { ...request.headers, ...headers } });
  if (status === 403)
    expect(body).toMatchObject({ error: 'forbidden', message: expect.stringMatching(/--allowed-(host|origin)$/) });
  return status;
}

describe.each(TRANSPORTS)('%s', (...endpoint) => {
  test('accepts the names of this machine', async () => {
    for (const host of LOOPBACK) expect(await statusOf({}, endpoint, { host }), host).not.toBe(403);
  });

  test('rejects another name', async () => {
    for (const host of FOREIGN) expect(await statusOf({}, endpoint, { host }), host).toBe(403);
  });

  test('rejects a page from another origin', async () => {
    for (const origin of [
      'http://evil.example',
      'https://evil.example:4747',
      'null',
      '',
      'file://',
      'http://localhost.evil.example',
      'localhost',
      'http://localhost@evil.example',
    ]) {
      expect(await statusOf({}, endpoint, { origin }), origin).toBe(403);
    }
  });

  test('accepts pages of this machine', async () => {
    for (const origin of ['http://localhost:4747', 'https://localhost', 'http://127.0.0.1:5173', 'http://[::1]:80'])
      expect(await statusOf({}, endpoint, { origin }), origin).not.toBe(403);
  });
});

const [REST] = TRANSPORTS;
if (REST === undefined) throw new Error('unknown endpoint');

describe('a public hub', () => {
  const forOthers = { host: '0.0.0.0' };

  test('accepts addresses and names without a dot until names are configured, and pages of the same origin', async () => {
    for (const host of ['hub', 'hub:4747', '192.168.0.7:4747', '[2001:db8::7]:4747', '203.0.113.9']) {
      expect(await statusOf(forOthers, REST, { host })).toBe(200);
      expect(await statusOf(forOthers, REST, { host, origin: `http://${host}` })).toBe(200);
      expect(await statusOf(forOthers, REST, { host, origin: 'http://evil.example' })).toBe(403);
    }
  });

  test('rejects names that a foreign page can bind to its address, unless it has a certificate', async () => {
    for (const host of ['evil.example', 'evil.example:4747', '192.168.0.7.evil.example', 'a@hub']) {
      expect(await statusOf(forOthers, REST, { host }), host).toBe(403);
      expect(await statusOf({ ...forOthers, trust_proxy: 1 }, REST, { host }), host).toBe(403);
      expect(await statusOf({ ...forOthers, tls_cert: '/etc/hub/cert.pem' }, REST, { host }), host).toBe(200);
    }
  });

  test('accepts its configured names and those of this machine', async () => {
    const configured = { ...forOthers, allowed_hosts: ['hub.example', 'hub.local:8080'] };
    for (const host of ['hub.example', 'HUB.example:443', 'hub.local', 'localhost:1'])
      expect(await statusOf(configured, REST, { host }), host).toBe(200);
    for (const host of ['evil.example', '192.168.0.7', 'x.hub.example'])
      expect(await statusOf(configured, REST, { host }), host).toBe(403);
    expect(await statusOf(configured, REST, { host: 'localhost', origin: 'https://hub.example' })).toBe(200);
  });
});

test('a public URL adds its name, and changes no other', async () => {
  const published = { host: '0.0.0.0', public_url: 'https://hub.example' };
  for (const host of ['hub.example', '192.168.0.7:4747', 'hub', 'localhost'])
    expect(await statusOf(published, REST, { host }), host).toBe(200);
  expect(await statusOf(published, REST, { host: 'other.example' })).toBe(403);
});

test('probes are accepted under any name and from any page, and no other path is', async () => {
  const at = (path: string): Endpoints[number] => [path, () => ({ method: 'GET', path, headers: {} })];
  const foreign = { host: 'evil.example', origin: 'http://evil.example' };
  for (const path of ['/health/live', '/health/ready']) expect(await statusOf({}, at(path), foreign), path).toBe(200);
  for (const path of ['/health', '/metrics', '/health/live/', '/HEALTH/live', '/health//ready', '/'])
    expect(await statusOf({}, at(path), foreign), path).toBe(403);
});

test('always accepts the configured host', async () => {
  expect(
    await statusOf({ host: 'hub.lan', allowed_hosts: ['hub.example'] }, REST, {
      host: 'hub.lan:4747',
      origin: 'http://hub.lan:4747',
    }),
  ).toBe(200);
});

test('accepts an allowed origin, including its port', async () => {
  const settings = { allowed_origins: ['https://console.example'] };
  expect(await statusOf(settings, REST, { origin: 'https://console.example' })).toBe(200);
  for (const origin of ['http://console.example', 'https://console.example:444', 'https://x.console.example'])
    expect(await statusOf(settings, REST, { origin }), origin).toBe(403);
});

test('ignores the host name in proxy headers', async () => {
  expect(
    await statusOf({ trust_proxy: 1 }, REST, {
      host: 'evil.example',
      'x-forwarded-host': 'localhost',
      'x-forwarded-for': '1.2.3.4',
    }),
  ).toBe(403);
});

test.each([
  ['flags', ['--allowed-host', ' Hub.example, hub.local:80', '--allowed-origin', 'https://Console.example/'], {}],
  [
    'flags in the plural, as the keys are called',
    ['--allowed-hosts', 'hub.local,hub.example,', '--allowed-origins', 'https://console.example'],
    {},
  ],
  [
    'variables',
    [],
    { AGENTHUB_ALLOWED_HOSTS: 'hub.example,hub.local', AGENTHUB_ALLOWED_ORIGINS: 'https://console.example' },
  ],
])('is configured with %s', async (_, args, env) => {
  const { url } = await startHub({ target: ANY_TARGET, args, env });
  const status = async (headers: Record<string, string>): Promise<number> =>
    (await sendRaw(url, { method: 'GET', path: '/health', headers })).status;
  expect(await status({ host: 'hub.example' })).toBe(200);
  expect(await status({ host: 'hub.local:4747' })).toBe(200);
  expect(await status({ host: 'evil.example' })).toBe(403);
  expect(await status({ origin: 'https://console.example' })).toBe(200);
  expect(await status({ origin: 'https://evil.example' })).toBe(403);
});
