// Tests each endpoint row: the documented response, authorization, and each member on both sides of its rule.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../support/json.ts';
import type { Fixture, Reply, TestNetwork } from '../fixture.ts';
import { type Rule, refusedBy, refusedInQuery, takenBy } from '../members.ts';
import { expectShape } from '../shape-test.ts';
import type { Call, EndpointRow, EndpointRows } from './endpoint-row.ts';

type Endpoint = { method: string; path: string; row: EndpointRow };

export function endpointTests(fixture: () => Fixture, rows: EndpointRows): void {
  for (const [title, row] of Object.entries(rows)) {
    const [method = '', path = ''] = title.split(' ');
    describe(title, () => endpointTest(fixture, { method, path, row }));
  }
}

function endpointTest(fixture: () => Fixture, endpoint: Endpoint): void {
  const { row } = endpoint;
  test('returns every field', async () => {
    const network = await fixture().newNetwork();
    const response = await run(network, endpoint);
    expect(response.status, JSON.stringify(response.body)).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
    expectShape(row.responses, response.body);
  });

  test(`requires ${NEEDS[row.auth]}`, async () => {
    const network = await fixture().newNetwork();
    const call = await prepared(network, row);
    if (row.auth === 'none') return expectSuccess(await ask(network, endpoint, { ...call, token: 'nonsense' }));
    expectRefusal(await ask(network, endpoint, { ...call, token: undefined }), 401, 'unauthorized');
    expectRefusal(await ask(network, endpoint, { ...call, token: 'ntok_nonsense' }), 401, 'unauthorized');
    if (row.auth === 'U')
      return expectRefusal(await ask(network, endpoint, { ...call, token: network.token }), 403, 'user_token_required');
    const given = { ...call.given, network_id: network.network_id };
    expectSuccess(await ask(network, endpoint, { ...call, given, token: network.fixture.owner.token }));
  });

  for (const [name, rule] of Object.entries(row.members ?? {}))
    describe(name, () => memberTest(fixture, endpoint, name, rule));
}

const NEEDS = { none: 'no token', U: 'a user token', N: 'a token' };

function memberTest(fixture: () => Fixture, endpoint: Endpoint, name: string, rule: Rule): void {
  const isQuery = !isInBody(endpoint);
  if (rule.isRequired) {
    test('is required', async () => {
      const network = await fixture().newNetwork();
      const { given: { [name]: _, ...rest } = {}, ...call } = await prepared(network, endpoint.row);
      expectRefusal(
        await ask(network, endpoint, { ...call, given: rest }),
        400,
        'invalid_request',
        `${name} is required`,
      );
    });
  }
  test('is accepted up to its limit', async () => {
    const network = await fixture().newNetwork();
    for (const value of takenBy(rule)) {
      const { status, body } = await run(network, endpoint, { [name]: isQuery ? String(value) : value });
      expect([status, body.error], `${name} ${shown(value)} ${JSON.stringify(body)}`).not.toEqual([
        400,
        'invalid_request',
      ]);
    }
  });
  test('is rejected beyond its limit and with another type', async () => {
    const network = await fixture().newNetwork();
    const call = await prepared(network, endpoint.row);
    for (const value of isQuery ? refusedInQuery(rule) : refusedBy(rule)) {
      const response = await ask(network, endpoint, { ...call, given: { ...call.given, [name]: value } });
      expectRefusal(response, 400, 'invalid_request', name, shown(value));
    }
  });
}

async function run(network: TestNetwork, endpoint: Endpoint, given: JsonObject = {}): Promise<Reply> {
  const call = await prepared(network, endpoint.row);
  return ask(network, endpoint, { ...call, given: { ...call.given, ...given } });
}

type RequestOptions = Call & { token?: string | undefined };

/** With the token that the row requires. */
async function prepared(network: TestNetwork, { auth, prepare }: EndpointRow): Promise<RequestOptions> {
  const call = (await prepare?.(network)) ?? {};
  if (auth === 'none') return call;
  return { ...call, token: auth === 'U' ? (call.as ?? network.fixture.owner).token : network.token };
}

function ask(
  network: TestNetwork,
  endpoint: Endpoint,
  { path = {}, given = {}, token }: RequestOptions,
): Promise<Reply> {
  const filled = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  if (isInBody(endpoint)) return network.fixture.ask(endpoint.method, filled, { token, body: given });
  const query = new URLSearchParams(Object.entries(given).map(([name, value]) => [name, String(value)]));
  return network.fixture.ask(endpoint.method, query.size === 0 ? filled : `${filled}?${query}`, { token });
}

function isInBody({ method }: Endpoint): boolean {
  return method === 'POST' || method === 'PUT';
}

function expectSuccess({ status, body }: Reply): void {
  expect(status, JSON.stringify(body)).toBe(200);
}

function expectRefusal(
  { status, headers, body }: Reply,
  expected: number,
  error: string,
  member = '',
  value = '',
): void {
  expect([status, body.error], `${member} ${value} ${JSON.stringify(body)}`).toEqual([expected, error]);
  expect(body).toEqual({ error, message: expect.stringContaining(member) });
  if (expected === 401) expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="agenthub"/);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 60);
}
