// Generates requests, valid and invalid, and irregular ways to send them.
import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { Draws } from '../../support/random.ts';
import type { Hub } from '../hub.ts';
import { subscription } from './heavy-bodies.ts';
import { badValue, type Known, type Members, type Surface, validValue } from './surface.ts';
import { type Asked, ask, chunked, dial, type Reply, requestText, rpc, sendAndReset, toolCall } from './wire.ts';

export type World = {
  hub: Hub;
  surface: Surface;
  known: Known;
  tokens: readonly [string | undefined, ...(string | undefined)[]];
};

/** Drawn by weight: each is listed as often as it should occur. */
type Drawer = (world: World, draws: Draws) => Asked;

const BAD_MEMBER = 0.2;
const LEFT_OUT = 0.3;
const MAX_BATCH = 50;
const LONG_HEADER = 12_000;
const LONG_BATCH = 0.2;

const KINDS: readonly [Drawer, ...Drawer[]] = [
  restRequest,
  ...Array<Drawer>(11).fill(restRequest),
  ...Array<Drawer>(10).fill(toolRequest),
  ...Array<Drawer>(2).fill(batchRequest),
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

export function drawRequest(world: World, draws: Draws): Asked {
  return draws.oneOf(KINDS)(world, draws);
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

function tokenOf({ tokens }: World, draws: Draws): { token?: string } {
  const token = draws.oneOf(tokens);
  return token === undefined ? {} : { token };
}

function restRequest(world: World, draws: Draws): Asked {
  const route = world.surface.routes[Math.floor(draws.below(world.surface.routes.length))];
  if (route === undefined) return { path: '/' };
  const { method, path, inAddress, members } = route;
  // A deleted network or token could not be attacked again.
  const values = membersOf(draws, members, method === 'DELETE' ? {} : world.known);
  const inPath = path.replace(/[{:](\w+)\}?/g, (_, name: string) =>
    encodeURIComponent(printable(values[name] ?? 'nobody')),
  );
  const queried = inAddress.filter((name) => name in values && !path.includes(name));
  const query = new URLSearchParams(queried.map((name) => [name, printable(values[name])]));
  const hasBody = method === 'POST' || method === 'PUT';
  return {
    ...tokenOf(world, draws),
    method,
    path: `${inPath}?${query.toString()}`.slice(0, 8_000),
    ...(hasBody && { body: JSON.stringify(values) }),
  };
}

function printable(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 300).toWellFormed();
}

function call(world: World, draws: Draws, id: number): object {
  const tool = world.surface.tools[Math.floor(draws.below(world.surface.tools.length))];
  return tool === undefined ? {} : toolCall(tool.name, membersOf(draws, tool.members, world.known), id);
}

function toolRequest(world: World, draws: Draws): Asked {
  const { token = '' } = tokenOf(world, draws);
  return rpc(token, call(world, draws, 1), {
    Accept: draws.oneOf(['application/json', 'text/event-stream, application/json']),
  });
}

function batchRequest(world: World, draws: Draws): Asked {
  const { token = '' } = tokenOf(world, draws);
  const length = 1 + Math.floor(draws.below(draws.below(1) < LONG_BATCH ? MAX_BATCH : 5));
  return rpc(
    token,
    Array.from({ length }, (_, id) => call(world, draws, id + 1)),
  );
}

/** The query with the longest response. */
function fullInboxes(world: World, draws: Draws): Asked {
  const { token = '' } = tokenOf(world, draws);
  const alias = draws.oneOf(world.known.alias ?? ['full']);
  return rpc(
    token,
    Array.from({ length: MAX_BATCH }, (_, id) => toolCall('get_inbox', { alias, limit: 100 }, id + 1)),
  );
}

function brokenBody(world: World, draws: Draws): Asked {
  const whole = JSON.stringify(call(world, draws, 1));
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
    ...tokenOf(world, draws),
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

function oddRequest(world: World, draws: Draws): Asked {
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
    ...tokenOf(world, draws),
    method: draws.oneOf(['GET', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'DELETE', 'POST']),
    path: draws.oneOf(ODD_PATHS),
    headers,
  };
}

function stream(world: World, draws: Draws): Asked {
  const alias = encodeURIComponent(draws.oneOf(world.known.alias ?? ['full']));
  return {
    ...tokenOf(world, draws),
    path: draws.oneOf(['/events', `/events/${alias}`, '/events?last_event_id=x-1', '/events?token=']),
  };
}

function listenRequest(world: World, draws: Draws): Asked {
  const { token = '' } = tokenOf(world, draws);
  const alias = draws.oneOf(['full', '\u{1F980}'.repeat(100), 'x'.repeat(20_000)]);
  const asked = subscription(
    ['hub://status', `hub://inbox/${encodeURIComponent(alias)}`],
    'x'.repeat(draws.below(5_000)),
  );
  return rpc(token, asked, { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' });
}

function otherMethod(world: World, draws: Draws): Asked {
  const { token = '' } = tokenOf(world, draws);
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

function modernCall(world: World, draws: Draws): Asked {
  const { token = '' } = tokenOf(world, draws);
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

/** How one request is sent. Responses that are not read are missing. */
type Sending = (hub: Hub, asked: Asked, draws: Draws, held: Held) => Promise<Reply | undefined | void>;

/** Sockets that are neither read nor closed. Beyond a maximum, the oldest is closed. */
export type Held = { add(socket: Socket): void; dropAll(): void };

const TIMEOUT_MS = 250;
const MAX_HELD = 60;

export function holdSockets(): Held {
  const sockets = new Set<Socket>();
  return {
    add: (socket) => {
      sockets.add(socket.once('close', () => sockets.delete(socket)));
      const [oldest] = sockets;
      if (sockets.size > MAX_HELD) oldest?.resetAndDestroy();
    },
    dropAll: () => sockets.forEach((socket) => socket.destroy()),
  };
}

const read: Sending = (hub, asked) => ask(hub, asked, { timeoutMs: TIMEOUT_MS });
const resetLater: Sending = (hub, asked, draws) => sendAndReset(hub, requestText(asked), draws.below(4));
const resetAmid: Sending = (hub, asked, draws) => {
  const bytes = requestText(asked);
  return sendAndReset(hub, bytes.subarray(0, Math.floor(draws.below(bytes.length))), draws.below(2));
};

/** Half-closes the connection, and waits for the response briefly. */
const halfClose: Sending = async (hub, asked, draws) => {
  const socket = dial(hub).resume();
  socket.end(requestText(asked));
  await after(draws.below(20));
  socket.destroy();
};

/** One byte of the body is never sent. */
const withhold: Sending = async (hub, asked, _, held) => {
  const socket = dial(hub);
  held.add(socket);
  socket.write(requestText({ ...asked, headers: { 'Content-Length': '100000', ...asked.headers } }));
};

/** The response stays in the socket. */
const ignore: Sending = async (hub, asked, _, held) => {
  const socket = dial(hub).pause();
  held.add(socket);
  socket.write(requestText(asked));
};

const inChunks: Sending = async (hub, asked, draws) => {
  const socket = dial(hub).resume();
  const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked', ...asked.headers };
  socket.write(
    requestText({ ...asked, method: asked.method ?? 'POST', headers, body: '' })
      .toString()
      .replace(/Content-Length: \d+\r\n/, ''),
  );
  socket.write(chunked(String(asked.body ?? '{}')));
  await after(draws.below(20));
  socket.destroy();
};

const SENDINGS: readonly [Sending, ...Sending[]] = [
  read,
  ...Array<Sending>(25).fill(read),
  resetLater,
  resetLater,
  resetAmid,
  halfClose,
  halfClose,
  withhold,
  ignore,
  ignore,
  inChunks,
];

export function send(world: World, asked: Asked, draws: Draws, held: Held): Promise<Reply | undefined | void> {
  return draws.oneOf(SENDINGS)(world.hub, asked, draws, held);
}
