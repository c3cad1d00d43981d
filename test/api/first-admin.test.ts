// Who can create the first account, over HTTP. On a hub that only this machine can reach, anyone can. Otherwise, and
// behind an unexpected proxy, the setup token is required.
import { describe, expect, test } from 'vitest';
import type { Settings } from '../../server/domain/settings.ts';
import { sendRaw } from '../support/http/raw-request.ts';
import { listen } from '../support/served-hub.ts';
import { openTestHub, SETUP_TOKEN } from '../support/test-hub.ts';

type Headers = Readonly<Record<string, string>>;

async function emptyHub(settings: Partial<Settings> = {}) {
  const warnings: string[] = [];
  const opened = await openTestHub(settings);
  const hub = {
    ...opened,
    log: {
      ...opened.log,
      warn: (fields: object, message: string) => void warnings.push(JSON.stringify({ ...fields, message })),
    },
  };
  const { url } = await listen(hub);
  const register = (username: string, headers: Headers = {}, bearer?: string) =>
    sendRaw(url, {
      path: '/api/auth/register',
      body: JSON.stringify({ username, password: 'secret' }),
      headers: {
        'content-type': 'application/json',
        ...headers,
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
    });
  const setup = async (headers: Headers = {}) =>
    (await sendRaw(url, { method: 'GET', path: '/health', headers })).body.setup;
  return { url, register, setup, warnings, clock: opened.clock };
}

const OPEN_TO_ALL: readonly (readonly [settings: Partial<Settings>, headers: Headers])[] = [
  [{}, {}],
  [{ host: 'localhost' }, {}],
  [{ host: '127.8.8.8' }, {}],
  [{ host: '::1' }, {}],
  [{ public_url: 'http://localhost:8080' }, {}],
  [{ allowed_hosts: ['hub.localhost', '127.0.0.1:4747'] }, { host: 'hub.localhost' }],
  [
    {},
    {
      'x-request-id': 'r-1',
      'x-host-of-mine': 'no header of a proxy',
      accept: '*/*',
      'user-agent': 'via curl',
      origin: 'http://127.0.0.1',
    },
  ],
];

const FOR_THE_OWNER: readonly (readonly [settings: Partial<Settings>, headers: Headers])[] = [
  [{ host: '0.0.0.0' }, {}],
  [{ host: '::' }, {}],
  [{ host: '192.0.2.1' }, {}],
  [{ host: 'hub.lan' }, { host: 'hub.lan' }],
  [{ host: '127.example' }, {}],
  [{ public_url: 'https://hub.example' }, {}],
  [{ trust_proxy: 1 }, {}],
  [{ trust_proxy: 1 }, { 'x-forwarded-for': '127.0.0.1' }],
  [{ allowed_hosts: ['localhost', 'hub.lan'] }, {}],
  [{ require_setup_token: true }, {}],
  ...[
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-port',
    'x-forwarded-server',
    'forwarded',
    'via',
    'x-real-ip',
    'cf-connecting-ip',
    'x-forwarded',
    'x_forwarded_for',
    'forwarded-for',
    'x-original-forwarded-for',
    'x-original-host',
    'client-ip',
    'x-cluster-client-ip',
    'true-client-ip',
    'do-connecting-ip',
    'x-nf-client-connection-ip',
    'x-proxy-id',
    'x-proxyuser-ip',
    'x-remote-addr',
    'x-host',
    'x-scheme',
    'cdn-loop',
    'cf-ray',
    'x-azure-clientip',
    'x-envoy-external-address',
    'x-amzn-trace-id',
    'x-arr-ssl',
    'fly-region',
  ].map((name) => [{}, { [name]: '127.0.0.1' }] as const),
  [{}, { 'X-Forwarded-For': '' }],
];

describe('anyone can create the first account', () => {
  test.each(OPEN_TO_ALL)('with %j and headers %j', async (settings, headers) => {
    const { register, setup } = await emptyHub(settings);
    expect(await setup(headers)).toBe('open');
    expect(await register('ann', headers)).toMatchObject({ status: 200, body: { user: { role: 'admin' } } });
    expect(await setup(headers)).toBe('done');
  });

  test('with a setup token that is not needed', async () => {
    const { register } = await emptyHub();
    expect(await register('ann', {}, 'whatever')).toMatchObject({ status: 200 });
  });
});

describe('the first account requires the setup token', () => {
  test.each(FOR_THE_OWNER)('with %j and headers %j', async (settings, headers) => {
    const { register, setup } = await emptyHub(settings);
    expect(await setup(headers)).toBe('token');
    for (const bearer of [undefined, 'a guess', '']) {
      expect(await register('eve', headers, bearer)).toMatchObject({
        status: 403,
        body: { error: 'setup_token_required' },
      });
    }
    expect(await register('ann', headers, SETUP_TOKEN)).toMatchObject({
      status: 200,
      body: { user: { role: 'admin' } },
    });
    expect(await register('ben', headers)).toMatchObject({ status: 200, body: { user: { role: 'user' } } });
  });
});

test('a request through an unexpected proxy logs the setup token once', async () => {
  const { register, warnings } = await emptyHub();
  await register('eve', { 'x-forwarded-for': '192.0.2.1' });
  expect(warnings).toEqual([
    expect.stringMatching(/"setup_token":"theSetupTokenOfTests".*set public_url and trust_proxy/),
  ]);
  const open = await emptyHub({ trust_proxy: 1 });
  await open.register('eve', { 'x-forwarded-for': '192.0.2.1' });
  expect(open.warnings).toEqual([]);
});

test('a hub with require_setup_token logs its link at the start, and not again for a request through a proxy', async () => {
  const { register, warnings, clock } = await emptyHub({ require_setup_token: true });
  await register('eve', { 'x-forwarded-for': '192.0.2.1' });
  expect(warnings).toEqual([]);
  clock.advance(EXPIRES_MS);
  expect(await register('ann', {}, SETUP_TOKEN)).toMatchObject({ status: 403, body: { error: 'setup_token_expired' } });
  expect(warnings).toEqual([expect.stringMatching(/"url":"[^"]*#setup=\w+"/)]);
});

const EXPIRES_MS = 30 * 60_000;

test('the setup token expires after 30 minutes; its use then writes a new link to the log', async () => {
  const { register, warnings, clock } = await emptyHub({ public_url: 'https://hub.example' });
  clock.advance(EXPIRES_MS);
  expect(await register('ann', {}, 'a guess')).toMatchObject({ status: 403, body: { error: 'setup_token_required' } });
  expect(warnings).toEqual([]);
  expect(await register('ann', {}, SETUP_TOKEN)).toMatchObject({
    status: 403,
    body: { error: 'setup_token_expired', message: expect.stringContaining('the log of the hub has a new one') },
  });
  const [, token] = /"url":"[^"]*#setup=(\w+)"/.exec(warnings.join()) ?? [];
  expect(warnings).toHaveLength(1);
  expect(await register('ann', {}, SETUP_TOKEN)).toMatchObject({ body: { error: 'setup_token_required' } });
  clock.advance(EXPIRES_MS - 1);
  expect(await register('ann', {}, token)).toMatchObject({ status: 200, body: { user: { role: 'admin' } } });
});

test('behind an unexpected proxy, the log has a token that has not expired', async () => {
  const { register, warnings, clock } = await emptyHub();
  const headers = { 'x-forwarded-for': '192.0.2.1' };
  clock.advance(EXPIRES_MS);
  await register('eve', headers);
  const [, token] = /"setup_token":"(\w+)"/.exec(warnings.join()) ?? [];
  expect(token).not.toBe(SETUP_TOKEN);
  expect(await register('ann', headers, SETUP_TOKEN)).toMatchObject({ status: 403 });
  expect(await register('ann', headers, token)).toMatchObject({ status: 200 });
});

test.each<[what: string, headers: Headers]>([
  ['a page with DNS rebinding', { host: 'rebound.example:4747', origin: 'http://rebound.example:4747' }],
  ['the same without an origin', { host: 'rebound.example' }],
  ['a page from another origin', { origin: 'https://evil.example' }],
  ['a simple form from another origin', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
  ['a sandboxed page', { origin: 'null' }],
])('%s cannot create the first account of a local hub', async (_, headers) => {
  const { register, setup } = await emptyHub();
  expect(await register('eve', headers)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  expect(await setup()).toBe('open');
});

test('of 100 concurrent requests on a local hub, 30 pass the rate limit and one creates the admin', async () => {
  const { register } = await emptyHub();
  const responses = await Promise.all(Array.from({ length: 100 }, (_, index) => register(`user_${index}`)));
  const roles = responses.flatMap(({ status, body }) => (status === 200 ? [JSON.stringify(body.user)] : []));
  expect([roles.length, roles.filter((user) => user.includes('"role":"admin"')).length]).toEqual([30, 1]);
});

test('of 100 concurrent requests from different addresses, the one with the setup token creates the admin', async () => {
  const { register } = await emptyHub({ trust_proxy: 1 });
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      register(`user_${index}`, { 'x-forwarded-for': `192.0.2.${index}` }, index === 50 ? SETUP_TOKEN : undefined),
    ),
  );
  expect(responses[50]).toMatchObject({ status: 200, body: { user: { role: 'admin' } } });
  for (const { status, body } of responses) expect(status === 200 || body.error === 'setup_token_required').toBe(true);
});
