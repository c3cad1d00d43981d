// Clients that read nothing of their responses are disconnected, whatever the connection carries. Slow clients that
// keep reading stay. Uses real sockets, and the test triggers each check.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { UNREAD_LOOK_MS, UNREAD_SOCKET_MS } from '../../server/domain/limits.ts';
import { answerInOrder } from '../../server/serve/listener/answer-in-order.ts';
import { limitConnections, type UnreadWatch, watchUnread } from '../../server/serve/listener/connections.ts';
import type { Closed, Use } from '../../server/serve/listener/eviction.ts';
import { openListener } from '../../server/serve/listener/listener.ts';
import { send } from '../support/fixture.ts';
import { legacyPost } from '../support/http/mcp-posts.ts';
import { hasOpenssl, newCertificate } from '../support/process/certificate.ts';
import { temporaryDirectory } from '../support/process/running-hub.ts';
import { type ServedHub, serveHub } from '../support/served-hub.ts';

const LOOKS = UNREAD_SOCKET_MS / UNREAD_LOOK_MS;
const BY_CONDITION = { interval: 2 };
const PIPELINED = 40;

type Watched = { watch: UnreadWatch; closed: Closed[] };

function watched(server: Server): Watched {
  const closed: Closed[] = [];
  const watch = watchUnread(server, (why) => closed.push(why));
  onTestFinished(watch.stop);
  return { watch, closed };
}

/** Destroys `sockets` and closes the server when the test ends. */
async function listening(server: Server): Promise<{ port: number; sockets: Socket[] }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** A hub with two mebibytes of tasks behind its own server. */
async function serveLarge(secure?: { cert: Buffer; key: Buffer }): Promise<ServedHub & Watched & { port: number }> {
  const hub = await serveHub();
  await Promise.all(
    Array.from({ length: 110 }, (_, index) =>
      send(hub, { task: `${index} `.padEnd(9_900, 'x'), context: 'y'.repeat(9_900) }),
    ),
  );
  const server =
    secure === undefined ? createServer(hub.app.koa.callback()) : createSecureServer(secure, hub.app.koa.callback());
  const watch = watched(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { ...hub, ...watch, port: (server.address() as AddressInfo).port };
}

/** Connects and sends, but reads no byte of a response. */
async function ask(socket: Socket, text: string): Promise<Socket> {
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  socket.pause();
  socket.write(text);
  return socket;
}

const isBehind = ({ watch }: Watched) => expect.poll(() => watch.look(), BY_CONDITION).toBe(1);

function requestText(hub: ServedHub, line: string, body = ''): string {
  const headers = [
    'Host: localhost',
    `Authorization: Bearer ${hub.networkToken}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

const LIST = (hub: ServedHub): string => requestText(hub, 'GET /api/tasks?limit=500').repeat(PIPELINED);
const INBOX = JSON.stringify(
  legacyPost('tools/call', { name: 'get_inbox', arguments: { alias: 'bob', limit: 100 } }).message,
);
const TOOL = (hub: ServedHub): string => requestText(hub, 'POST /mcp', INBOX).repeat(PIPELINED);

describe('a connection whose client reads nothing', () => {
  test.each([
    ['REST', LIST],
    ['MCP', TOOL],
  ])('with pipelined %s responses is closed', async (_, text) => {
    const hub = await serveLarge();
    await ask(connect(hub.port, '127.0.0.1'), text(hub));
    await isBehind(hub);
    let looks = 1;
    await expect
      .poll(() => {
        looks++;
        hub.watch.look();
        return hub.closed;
      }, BY_CONDITION)
      .toEqual(['unread']);
    expect(looks).toBeGreaterThan(LOOKS);
  });

  test('with a stream is closed, though heartbeats are still written to it', async () => {
    const open: ServerResponse[] = [];
    const server = createServer((_, response) => {
      open.push(response);
      response.write('x'.repeat(16 * 1024 * 1024));
    });
    const stream = watched(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    await ask(connect((server.address() as AddressInfo).port, '127.0.0.1'), 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await isBehind(stream);
    await expect
      .poll(() => {
        open[0]?.write(': heartbeat\n\n');
        stream.watch.look();
        return stream.closed;
      }, BY_CONDITION)
      .toEqual(['unread']);
  });

  test.skipIf(!hasOpenssl)('over TLS is closed', async () => {
    const [cert, key] = newCertificate(temporaryDirectory(), 'localhost').map((file) => readFileSync(file));
    const hub = await serveLarge({ cert: cert ?? Buffer.alloc(0), key: key ?? Buffer.alloc(0) });
    const socket = connectSecurely({ port: hub.port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    await ask(socket, LIST(hub));
    await isBehind(hub);
    await expect
      .poll(() => {
        hub.watch.look();
        return hub.closed;
      }, BY_CONDITION)
      .toEqual(['unread']);
  });
});

test('a slow client that keeps reading stays for as long as it takes', async () => {
  const hub = await serveLarge();
  const socket = await ask(connect(hub.port, '127.0.0.1'), LIST(hub));
  await isBehind(hub);
  for (let look = 0; look < 2 * LOOKS; look++) {
    await readAtLeast(socket, 1024 * 1024);
    hub.watch.look();
  }
  expect([hub.closed, socket.destroyed]).toEqual([[], false]);
});

function readAtLeast(socket: Socket, bytes: number): Promise<void> {
  const goal = socket.bytesRead + bytes;
  return new Promise((resolve) => {
    const read = (): void => {
      if (socket.bytesRead < goal) return;
      socket.off('data', read).pause();
      resolve();
    };
    socket.on('data', read).resume();
  });
}

test('a connection without requests is closed, though its client keeps its side open', async () => {
  const soon = { headersTimeout: 50, requestTimeout: 50, keepAliveTimeout: 50, connectionsCheckingInterval: 10 };
  const listener = await openListener('127.0.0.1', 0, { timeouts: soon });
  onTestFinished(() => void listener.stop());
  const socket = connect({ port: listener.port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).resume();
  await once(socket, 'end');
  // The hub accepted data as long as only its own side was closed.
  await expect
    .poll(() => {
      if (!socket.destroyed) socket.write('x');
      return socket.destroyed;
    }, BY_CONDITION)
    .toBe(true);
});

test('a connection with nothing to read is never closed', async () => {
  const hub = await serveLarge();
  const socket = await ask(connect(hub.port, '127.0.0.1'), requestText(hub, 'GET /health'));
  await once(socket.resume(), 'data');
  for (let look = 0; look < 4 * LOOKS; look++) expect(hub.watch.look()).toBe(0);
  expect([hub.closed, socket.destroyed]).toEqual([[], false]);
});

test('connections beyond the file descriptor limit are closed at once, and closing one makes room', async () => {
  const closed: Closed[] = [];
  const server = createServer((_, response) => response.end('here'));
  limitConnections(server, (why) => closed.push(why), { files: 8, userOf: () => 'ada' });
  const { port, sockets } = await listening(server);
  for (let count = 0; count < 3; count++) sockets.push(connect(port, '127.0.0.1'));
  await once(sockets[2] ?? server, 'close');
  expect([closed, sockets.map(({ destroyed }) => destroyed)]).toEqual([['refused'], [false, false, true]]);
  sockets[0]?.destroy();
  await expect.poll(() => isAnswered(port), BY_CONDITION).toBe(true);
});

test.each([
  [512, false, 3_276],
  [1_024, false, 6_553],
  [512, true, 1_024],
])('of %i MiB of memory connections use a quarter at most (TLS: %s)', (mebibytes, isSecure, connections) => {
  const server = createServer();
  limitConnections(server, () => {}, { files: 1_048_576, memory: mebibytes * 1024 * 1024, isSecure });
  expect(server.maxConnections).toBe(connections);
});

test('idle connections make room: from the client with the most, first those without a request, then the oldest', async () => {
  const closed: Closed[] = [];
  const server = createServer();
  const accepted: Socket[] = [];
  const wanted: { use: Use; client: string; user?: string }[] = [];
  server.on('connection', (socket) => accepted.push(socket));
  const wantedOf = (socket: Socket) =>
    wanted[accepted.indexOf(socket)] ?? { use: 'new' as const, client: '', user: undefined };
  limitConnections(server, (why) => closed.push(why), {
    files: 32,
    isBehindProxy: true,
    useOf: (socket) => wantedOf(socket).use,
    userOf: (socket) => wantedOf(socket).user,
    addressOf: (socket) => wantedOf(socket).client,
  });
  const { port, sockets } = await listening(server);
  const open = async (use: Use, client = '192.0.2.1'): Promise<void> => {
    wanted.push({ use, client });
    sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
    await once(server, 'connection');
  };
  const gone = async (): Promise<number[]> => {
    await expect.poll(() => sockets.filter((socket) => socket.closed).length, BY_CONDITION).toBe(closed.length);
    return sockets.flatMap((socket, index) => (socket.closed ? [index] : []));
  };
  const max = server.maxConnections;
  await open('busy');
  await open('idle', '192.0.2.2');
  await open('new');
  while (sockets.length < max) await open('idle');
  expect([closed, await gone()]).toEqual([['idle'], [2]]);
  await open('new', '192.0.2.3');
  expect(await gone()).toEqual([2, 3]);
  await open('idle', '192.0.2.3');
  expect(await gone()).toEqual([2, 3, 4]); // new connections are spared
  for (const index of [5, 6, 7]) wanted[index] = { use: 'receiving', client: '192.0.2.1' };
  await open('busy', '192.0.2.4');
  expect(await gone()).toEqual([2, 3, 4, 5]); // an incomplete request does not count as use
  for (const one of wanted) if (one.client === '192.0.2.1') one.user = 'ada';
  await open('busy', '192.0.2.5');
  expect(await gone()).toEqual([2, 3, 4, 5, 8]); // a client with a token stays, though it has the most
  for (const one of wanted) one.user ??= 'bea';
  for (const one of wanted) if (one.user === 'ada') one.use = 'idle';
  await open('busy', '192.0.2.6');
  expect(await gone()).toEqual([1, 2, 3, 4, 5, 8]); // of users, the one with the most, busy ones included
});

test.skipIf(!hasOpenssl)('with TLS, connections without a handshake make room for those with a request', async () => {
  const [cert, key] = newCertificate(temporaryDirectory(), 'localhost').map((file) => readFileSync(file));
  const closed: Closed[] = [];
  const { listener, useOf } = answerInOrder((_, response) => void response.end('here'), { onClosed: () => {} });
  const server = createSecureServer({ cert, key }, listener);
  limitConnections(server, (why) => closed.push(why), { files: 32, isSecure: true, isBehindProxy: true, useOf });
  const { port, sockets } = await listening(server);
  const openUnread = async (): Promise<void> => {
    sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
    await once(server, 'connection');
  };
  const requestSecurely = async (): Promise<Socket> => {
    const socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [response] = await once(socket, 'data');
    expect(String(response)).toContain('here');
    return socket;
  };
  const first = await requestSecurely();
  for (let number = 0; number < server.maxConnections; number++) await openUnread();
  await requestSecurely();
  expect(closed).toEqual(['idle', 'idle', 'idle']);
  expect(first.closed).toBe(false);
});

test.each([
  ['from elsewhere', '198.51.100.7', false, 2],
  ['of this machine', '127.0.0.1', false, 4],
  ['of a proxy', '198.51.100.7', true, 4],
])('one address %s has its share of the connections', async (_, address, isBehindProxy, share) => {
  const closed: Closed[] = [];
  const server = createServer();
  limitConnections(server, (why) => closed.push(why), {
    files: 16,
    isBehindProxy,
    addressOf: () => address,
    userOf: () => 'ada',
  });
  const { port, sockets } = await listening(server);
  for (let count = 0; count < 6; count++) sockets.push(connect(port, '127.0.0.1').on('error', () => {}));
  await expect.poll(() => sockets.filter((socket) => socket.closed).length, BY_CONDITION).toBe(6 - share);
  expect(closed).toHaveLength(6 - share);
  sockets.find((socket) => !socket.closed)?.destroy();
  await expect
    .poll(() => new Promise((resolve) => server.getConnections((_error, open) => resolve(open))), BY_CONDITION)
    .toBe(share - 1);
  const another = connect(port, '127.0.0.1');
  onTestFinished(() => void another.destroy());
  await once(another, 'connect');
  await expect
    .poll(() => new Promise((resolve) => server.getConnections((_error, open) => resolve(open))), BY_CONDITION)
    .toBe(share);
});

async function isAnswered(port: number): Promise<boolean> {
  const [socket, received] = [connect(port, '127.0.0.1'), [] as string[]];
  socket
    .setEncoding('utf8')
    .on('data', (text: string) => received.push(text))
    .on('error', () => {});
  socket.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');
  return received.join('').includes('here');
}
