// Fuzzes REST and JSON-RPC with thousands of bad inputs. None returns a 5xx, none changes the database, every error has
// the format of its transport, and an error about a member names it. FUZZ_RUNS=20 runs 20 times as many cases. A
// failure prints its seed.
import { Agent } from 'node:http';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { ROUTES, type Route } from '../../../server/http/routes.ts';
import { TOOLS } from '../../../server/mcp/tools.ts';
import type { AnyOperation } from '../../../server/operations/operation.ts';
import { type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import { type Member, membersOf, sampleOf } from '../../support/store/schema-members.ts';
import { badBody } from '../fuzz/bad-bodies.ts';
import { badCall, oddRpcHeaders } from '../fuzz/bad-calls.ts';
import { badRequest, oddRequests } from '../fuzz/bad-requests.ts';
import { badText, badValue } from '../fuzz/bad-values.ts';
import { type CheckedHub, openCheckedHub, type Reply } from '../fuzz/checked-hub.ts';

const TIMES = Number(process.env.FUZZ_RUNS ?? 1);
const LONG = { timeout: 300_000 * TIMES };

/** A member with an invalid value. Without a value, a required member is omitted. */
type Wrong = { name: string; value?: unknown };

test('an invalid member is rejected by name over REST', LONG, async () => {
  const hub = await openCheckedHub();
  const agent = keptAlive();
  const routes = new Map(
    ROUTES.filter(([, , operation]) => membersOf(operation).length > 0).map((route) => [
      `${route[0]} ${route[1]}`,
      route,
    ]),
  );
  const cases = fc
    .constantFrom(...routes)
    .chain(([title, route]) => wrongMember(route[2], inAddress(route)).map((wrong) => ({ title, wrong })));
  await check(3_000, cases, async ({ title, wrong }) => {
    const { status, body } = await askRoute(hub, agent, found(routes.get(title)), wrong);
    expect({ status, error: body.error }, JSON.stringify(body)).toEqual({ status: 400, error: 'invalid_request' });
    expect(body.message).toMatch(new RegExp(`^${wrong.name}\\b`));
  });
});

test('an invalid argument is rejected by name by every tool', LONG, async () => {
  const hub = await openCheckedHub();
  const agent = keptAlive();
  const cases = fc
    .constantFrom(...TOOLS)
    .chain(({ operation }) => wrongMember(operation, () => false).map((wrong) => ({ operation, wrong })));
  await check(2_000, cases, async ({ operation, wrong }) => {
    const { body } = await askTool(hub, agent, operation.name, withWrong(sampleOf(operation), wrong));
    const [content] = listOf(objectOf(body, 'result'), 'content');
    const result = objectIn(textOf(content ?? {}, 'text'));
    expect(result.error, JSON.stringify(result)).toBe('invalid_arguments');
    expect(result.message).toMatch(new RegExp(`^${wrong.name}\\b`));
  });
});

test('an invalid body is rejected', LONG, async () => {
  const hub = await openCheckedHub();
  const wholes = {
    '/api/messages': JSON.stringify({ alias: 'bob', message: 'hello' }),
    '/mcp': JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'send_message', arguments: { alias: 'bob', message: 'hello' } },
    }),
  };
  const cases = fc
    .constantFrom('/api/messages' as const, '/mcp' as const)
    .chain((path) => badBody(wholes[path]).map((bad) => ({ path, bad })));
  await check(1_000, cases, async ({ path, bad: { body, headers, statuses } }) => {
    const { status } = await hub.request({
      method: 'POST',
      path,
      headers: { ...headers, ...bearer(hub.tokens.network) },
      body,
    });
    expect(statuses).toContain(status);
  });
});

test('a corrupted JSON-RPC message gets a protocol error', LONG, async () => {
  const hub = await openCheckedHub();
  const agent = keptAlive();
  await check(2_500, fc.record({ body: badCall, odd: oddRpcHeaders }), async ({ body, odd }) => {
    const headers = { ...odd, ...bearer(hub.tokens.network), 'Content-Type': 'application/json' };
    await hub.request({ method: 'POST', path: '/mcp', headers, body }, agent);
  });
});

test('random methods, paths and headers never cause a server error', LONG, async () => {
  const hub = await openCheckedHub();
  await check(2_000, badRequest(Object.values(hub.tokens)), async (sent) => void (await hub.request(sent)));
});

test('past failures stay fixed', LONG, async () => {
  const hub = await openCheckedHub();
  for (const sent of oddRequests(hub.tokens.network))
    await expect.soft(hub.request(sent), `${sent.method} ${sent.path}`).resolves.toBeDefined();
});

/** Fails with the seed and the smallest failing case. */
async function check<Case>(
  runs: number,
  cases: fc.Arbitrary<Case>,
  holds: (one: Case) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(cases, holds), { numRuns: runs * TIMES });
}

function keptAlive(): Agent {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return agent;
}

function wrongMember(operation: AnyOperation, isText: (member: Member) => boolean): fc.Arbitrary<Wrong> {
  return fc.constantFrom(...membersOf(operation)).chain((member) => {
    // An empty segment makes a different path.
    const wrong = (isText(member) ? badText(member).filter((value) => value !== '') : badValue(member)).map(
      (value): Wrong => ({ name: member.name, value }),
    );
    const missing = fc.constant<Wrong>({ name: member.name });
    return member.isRequired && !isText(member)
      ? fc.oneof({ weight: 9, arbitrary: wrong }, { weight: 1, arbitrary: missing })
      : wrong;
  });
}

function inAddress([method, path]: Route): (member: Member) => boolean {
  return ({ name }) => method === 'GET' || method === 'DELETE' || path.includes(`:${name}`);
}

function withWrong(sample: JsonObject, { name, value }: Wrong): JsonObject {
  const { [name]: _, ...others } = sample;
  return value === undefined ? others : { ...others, [name]: value };
}

function found<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('there is no entry of that name');
  return item;
}

function askRoute(
  { tokens, request }: CheckedHub,
  agent: Agent,
  [method, path, operation]: Route,
  wrong: Wrong,
): Promise<Reply> {
  const args = withWrong(sampleOf(operation), wrong);
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(args[name])));
  const rest = Object.entries(args).filter(([name]) => !path.includes(`:${name}`));
  const headers =
    operation.access === 'public' ? {} : bearer(operation.access === 'account' ? tokens.user : tokens.network);
  if (method === 'GET' || method === 'DELETE') {
    return request(
      { method, path: `${filled}?${new URLSearchParams(rest.map(([name, value]) => [name, String(value)]))}`, headers },
      agent,
    );
  }
  return request(
    {
      method,
      path: filled,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(rest)),
    },
    agent,
  );
}

function askTool({ tokens, request }: CheckedHub, agent: Agent, name: string, args: object): Promise<Reply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
  return request(
    { method: 'POST', path: '/mcp', headers: { ...bearer(tokens.network), 'Content-Type': 'application/json' }, body },
    agent,
  );
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}
