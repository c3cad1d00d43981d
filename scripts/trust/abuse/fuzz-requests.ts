// Generates requests, valid and invalid, for the hub under attack.
import type { Draws } from '../../support/random.ts';
import type { Hub } from '../hub.ts';
import { subscription } from './attacks/heavy-bodies.ts';
import { badValue, type Known, type Members, type Surface, validValue } from './surface.ts';
import { rpc, toolCall, type WireRequest } from './wire.ts';

export type Fixture = {
  hub: Hub;
  surface: Surface;
  known: Known;
  tokens: readonly [string | undefined, ...(string | undefined)[]];
};

/** Drawn by weight: each is listed as often as it should occur. */
type Generator = (fixture: Fixture, draws: Draws) => WireRequest;

const BAD_MEMBER = 0.2;
const LEFT_OUT = 0.3;
const MAX_BATCH = 50;
const LONG_HEADER = 12_000;
const LONG_BATCH = 0.2;

const KINDS: readonly [Generator, ...Generator[]] = [
  restRequest,
  ...Array<Generator>(11).fill(restRequest),
  ...Array<Generator>(10).fill(toolRequest),
  ...Array<Generator>(2).fill(batchRequest),
  fullInboxes,
  brokenBody,
  brokenBody,
  oddRequest,
  oddRequest,
  stream,
  stream,
  listenRequest,
  otherMethod,
  modernCall,
];

export function drawRequest(fixture: Fixture, draws: Draws): WireRequest {
  return draws.oneOf(KINDS)(fixture, draws);
}

function membersOf(draws: Draws, members: Members, known: Known): Record<string, unknown> {
  const entries = Object.entries(members).filter(([name]) => name in known || draws.below(1) > LEFT_OUT);
  const isBad = draws.below(1) < BAD_MEMBER;
  const badAt = Math.floor(draws.below(entries.length));
  return Object.fromEntries(
    entries.map(([name, schema], place) => [
      name,
      isBad && place === badAt ? badValue(draws) : validValue(draws, name, schema, known),
    ]),
  );
}

function tokenOf({ tokens }: Fixture, draws: Draws): { token?: string } {
  const token = draws.oneOf(tokens);
  return token === undefined ? {} : { token };
}

function restRequest(fixture: Fixture, draws: Draws): WireRequest {
  const route = fixture.surface.routes[Math.floor(draws.below(fixture.surface.routes.length))];
  if (route === undefined) return { path: '/' };
  const { method, path, inAddress, members } = route;
  // A deleted network or token could not be attacked again.
  const values = membersOf(draws, members, method === 'DELETE' ? {} : fixture.known);
  const inPath = path.replace(/[{:](\w+)\}?/g, (_, name: string) =>
    encodeURIComponent(printable(values[name] ?? 'nobody')),
  );
  const queried = inAddress.filter((name) => name in values && !path.includes(name));
  const query = new URLSearchParams(queried.map((name) => [name, printable(values[name])]));
  const hasBody = method === 'POST' || method === 'PUT';
  return {
    ...tokenOf(fixture, draws),
    method,
    path: `${inPath}?${query.toString()}`.slice(0, 8_000),
    ...(hasBody && { body: JSON.stringify(values) }),
  };
}

function printable(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 300).toWellFormed();
}

function call(fixture: Fixture, draws: Draws, id: number): object {
  const tool = fixture.surface.tools[Math.floor(draws.below(fixture.surface.tools.length))];
  return tool === undefined ? {} : toolCall(tool.name, membersOf(draws, tool.members, fixture.known), id);
}

function toolRequest(fixture: Fixture, draws: Draws): WireRequest {
  const { token = '' } = tokenOf(fixture, draws);
  return rpc(token, call(fixture, draws, 1), {
    Accept: draws.oneOf(['application/json', 'text/event-stream, application/json']),
  });
}

function batchRequest(fixture: Fixture, draws: Draws): WireRequest {
  const { token = '' } = tokenOf(fixture, draws);
  const length = 1 + Math.floor(draws.below(draws.below(1) < LONG_BATCH ? MAX_BATCH : 5));
  return rpc(
    token,
    Array.from({ length }, (_, id) => call(fixture, draws, id + 1)),
  );
}

/** The query with the longest response. */
function fullInboxes(fixture: Fixture, draws: Draws): WireRequest {
  const { token = '' } = tokenOf(fixture, draws);
  const alias = draws.oneOf(fixture.known.alias ?? ['full']);
  return rpc(
    token,
    Array.from({ length: MAX_BATCH }, (_, id) => toolCall('get_inbox', { alias, limit: 100 }, id + 1)),
  );
}

function brokenBody(fixture: Fixture, draws: Draws): WireRequest {
  const whole = JSON.stringify(call(fixture, draws, 1));
  const body = draws.oneOf<() => string | Buffer>([
    () => whole.slice(0, draws.below(whole.length)),
    () => Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    () => '['.repeat(draws.below(200_000)),
    () => `[${'{},'.repeat(draws.below(50_000))}{}]`,
    () => '"'.padEnd(1_100_000, 'x'),
    () => '',
    () => 'null',
    () => '\ufeff{}',
    () => '{"a":1,"a":2}',
    () => '1e999',
  ])();
  const headers = draws.oneOf<Record<string, string>>([
    {},
    {},
    {},
    { 'Content-Type': 'text/plain' },
    { 'Content-Encoding': 'gzip' },
    { 'Content-Length': '-1' },
    { Expect: '100-continue' },
  ]);
  return {
    ...tokenOf(fixture, draws),
    path: draws.oneOf(['/mcp', '/api/tasks', '/hooks/claude-code', '/nowhere', '/api/auth/login']),
    body,
    headers,
  };
}

const ODD_PATHS = [
  '/%',
  '/%00',
  '/..//..',
  'http://elsewhere.test/',
  '*',
  '/events/%ff',
  '/api/tasks/%F0%9F%A6%80',
  '/api//tasks',
  '/health?x=%',
  `/${'x'.repeat(9_000)}`,
] as const;

function oddRequest(fixture: Fixture, draws: Draws): WireRequest {
  const headers = draws.oneOf<Record<string, string>>([
    {},
    { 'X-Long': 'x'.repeat(LONG_HEADER) },
    { Host: 'elsewhere.test' },
    { Origin: 'null' },
    { 'X-Request-Id': 'x'.repeat(200) },
    { Authorization: `Bearer ${'x'.repeat(5_000)}` },
    { 'Last-Event-ID': 'x-999999999999999999' },
    { Upgrade: 'websocket', Connection: 'Upgrade' },
    { 'Transfer-Encoding': 'chunked', 'Content-Length': '5' },
    { Cookie: ';'.repeat(3_000) },
  ]);
  return {
    ...tokenOf(fixture, draws),
    method: draws.oneOf(['GET', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'DELETE', 'POST']),
    path: draws.oneOf(ODD_PATHS),
    headers,
  };
}

function stream(fixture: Fixture, draws: Draws): WireRequest {
  const alias = encodeURIComponent(draws.oneOf(fixture.known.alias ?? ['full']));
  return {
    ...tokenOf(fixture, draws),
    path: draws.oneOf(['/events', `/events/${alias}`, '/events?last_event_id=x-1', '/events?token=']),
  };
}

function listenRequest(fixture: Fixture, draws: Draws): WireRequest {
  const { token = '' } = tokenOf(fixture, draws);
  const alias = draws.oneOf(['full', '\u{1F980}'.repeat(100), 'x'.repeat(20_000)]);
  const request = subscription(
    ['hub://status', `hub://inbox/${encodeURIComponent(alias)}`],
    'x'.repeat(draws.below(5_000)),
  );
  return rpc(token, request, { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' });
}

function otherMethod(fixture: Fixture, draws: Draws): WireRequest {
  const { token = '' } = tokenOf(fixture, draws);
  const method = draws.oneOf([
    'initialize',
    'ping',
    'tools/list',
    'resources/list',
    'resources/templates/list',
    'prompts/list',
    'no/such',
    'server/discover',
    'completion/complete',
    'resources/read',
    'prompts/get',
    'logging/setLevel',
  ]);
  const params = draws.oneOf<unknown>([
    {},
    { uri: 'hub://status' },
    { uri: 'hub://inbox/full' },
    { name: 'check_inbox', arguments: { alias: 'full' } },
    { ref: { type: 'ref/prompt', name: 'check_inbox' }, argument: { name: 'alias', value: '' } },
    badValue(draws),
  ]);
  return rpc(token, { jsonrpc: '2.0', id: draws.oneOf<unknown>([1, 'one', null, {}, 1e308]), method, params });
}

function modernCall(fixture: Fixture, draws: Draws): WireRequest {
  const { token = '' } = tokenOf(fixture, draws);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': draws.oneOf(['2026-07-28', '2099-01-01']),
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { _meta, name: 'get_inbox', arguments: { alias: 'full', wait_seconds: 1 } };
  return rpc(
    token,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'get_inbox' },
  );
}
