// GET /api/diagnostics: where the hub is, how requests reach it, what it has open, and whether its users have a newer
// version of agenthub.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { hubClient } from '../../server/cli/client/hub-client.ts';
import type { Settings } from '../../server/domain/settings.ts';
import { noteLag } from '../../server/events/metrics.ts';
import { openNewerClients } from '../../server/events/usage.ts';
import { performAsOperator } from '../../server/operations/operator/operator-operation.ts';
import { setRole } from '../../server/operations/operator/users/set-role.ts';
import { VERSION } from '../../server/version.ts';
import { openEvents } from '../support/http/event-reader.ts';
import { type ServedHub, serveHub as serve } from '../support/served-hub.ts';
import { ON_POSTGRES } from '../support/store/postgres.ts';

const DAY_MS = 86_400_000;

type Finding = { check: string; level: string; says: string; remedy?: string };

async function serveHub(settings: Partial<Settings> = {}): Promise<ServedHub> {
  const hub = await serve(settings);
  await performAsOperator(setRole, hub.hub, { user: 'ann', role: 'admin' });
  return hub;
}

async function ask({ url, userToken }: ServedHub, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${url}/api/diagnostics`, {
    headers: { Authorization: `Bearer ${userToken}`, ...headers },
  });
  const body = await response.json();
  const findings: Finding[] = body.findings;
  return { ...body, of: (name: string) => findings.filter(({ check }) => check === name) };
}

test('shows open streams, and the 99th percentile of the event-loop lag', async () => {
  const served = await serveHub();
  expect(await ask(served)).toMatchObject({ streams: 0, event_loop: { lag_ms: 0 } });
  const stream = await openEvents(`${served.url}/events/bob`, served.networkToken);
  for (let look = 0; look < 1_000; look++) noteLag(served.hub.metrics, look % 240);
  expect(await ask(served)).toMatchObject({ streams: 1, event_loop: { lag_ms: 237 } });
  await stream.close();
});

test.skipIf(!ON_POSTGRES)(
  'shows the database, its replication and the hubs on it, and not the size of a file',
  async () => {
    const served = await serveHub();
    const shown = await ask(served);
    expect(shown.sizes).toMatchObject({ database_bytes: null, log_bytes: null, growth_bytes: null });
    for (const check of ['database', 'privileges', 'schema', 'durability', 'replication', 'cluster'])
      expect([check, shown.of(check).length > 0]).toEqual([check, true]);
    expect(shown.of('schema')).toMatchObject([{ level: 'ok', says: expect.stringContaining('current') }]);
  },
);

test('shows how the request reached the hub, and warns about an undeclared proxy', async () => {
  const served = await serveHub({ public_url: 'https://hub.example' });
  const { host } = new URL(served.url);
  const direct = await ask(served);
  expect(direct.address).toEqual({
    local_url: null,
    public_url: 'https://hub.example',
    host,
    client: '127.0.0.1',
    is_forwarded: false,
    trust_proxy: 0,
  });
  expect(direct.of('address')).toEqual([
    { check: 'address', level: 'ok', says: `this request came from 127.0.0.1 for ${host}` },
  ]);
  const forwarded = await ask(served, { 'X-Forwarded-For': '192.0.2.1' });
  expect(forwarded.of('address')).toMatchObject([
    {
      level: 'warn',
      says: expect.stringContaining('127.0.0.1 for 127.0.0.1:'),
      remedy: expect.stringContaining('trust_proxy'),
    },
  ]);
  const declared = await ask(await serveHub({ trust_proxy: 1 }), { 'X-Forwarded-For': '192.0.2.1' });
  expect(declared.of('address')).toMatchObject([
    { level: 'ok', says: expect.stringMatching(/came from 192\.0\.2\.1 .*through a proxy$/) },
  ]);
});

test('warns for a day that a user has a newer agenthub', async () => {
  const served = await serveHub();
  const { check, ...own } = (await ask(served)).of('program')[0] ?? {};
  expect({ check, ...own }).toMatchObject({ check: 'program', level: 'ok' });
  for (const client of ['agenthub/0.0.0-alpha', 'agenthub/9', 'agenthub/1.2.3; x', 'curl/9.9.9', ''])
    expect((await ask(served, { 'User-Agent': client })).of('program'), client).toHaveLength(1);
  await ask(served, { 'User-Agent': 'agenthub/1.4.0' });
  expect((await ask(served)).of('program')[1]).toMatchObject({
    level: 'warn',
    says: 'a newer agenthub (1.4.0) is used by the command line of ann',
    remedy: expect.stringContaining('upgrade the hub'),
  });
  served.hub.clock.advance(DAY_MS);
  expect((await ask(served)).of('program')).toHaveLength(1);
});

test('a command sends its version', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['user-agent']);
    response.setHeader('Content-Type', 'application/json').end('{"ok":true}');
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await hubClient(`http://127.0.0.1:${port}`, 'ntok_x').post('/api/auth/logout');
  expect(seen).toEqual([`agenthub/${VERSION}`]);
});

test('remembers 100 users with a newer version, each once', () => {
  const clients = openNewerClients();
  for (let number = 0; number < 1_000; number++) clients.add(`user-${number}`, '1.4.0', 0);
  clients.add('user-999', '1.10.0', 0);
  const [newest, other] = clients.list(1);
  expect(newest).toEqual(['1.10.0', ['user-999']]);
  expect(other?.[1]).toHaveLength(99);
  expect(other?.[1][0]).toBe('user-900');
});
