// A burst of requests is read in several turns of the event loop, and connections of different users take turns.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MAX_READ_MS } from '../../server/domain/limits.ts';
import { noteArrival } from '../../server/domain/time/turn-share.ts';
import { limitReads } from '../../server/serve/listener/read-turns.ts';

const COST_MS = 5;
const IN_TURN = MAX_READ_MS / COST_MS + 2; // one may begin at the limit, and one exceeds it
const open: { server?: Server; clients: Socket[] } = { clients: [] };

afterEach(() => {
  vi.restoreAllMocks();
  for (const client of open.clients.splice(0)) client.destroy();
  open.server?.close();
});

/** Requests take five milliseconds of a manual clock. Their paths are listed by the turns that read them. */
async function serve() {
  let [now, turn] = [0, 0];
  const turns: string[][] = [];
  const [users, addresses] = [new Map<number | undefined, string>(), new Map<number | undefined, string>()];
  const server = createServer((request, response) => {
    reads.note(request.socket);
    if (turns.length <= turn) {
      turns.push([]);
      setImmediate(() => (turn += 1));
    }
    turns.at(-1)?.push(request.url ?? '');
    now += COST_MS;
    response.end('done');
  });
  const reads = limitReads(server, {
    userOf: ({ remotePort }) => users.get(remotePort),
    clientOf: ({ remotePort }) => addresses.get(remotePort) ?? 'burst',
    now: () => now,
  });
  open.server = server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = async (address: string, user?: string): Promise<Socket> => {
    const arrived = once(server, 'connection');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    open.clients.push(socket);
    await Promise.all([once(socket, 'connect'), arrived]);
    addresses.set(socket.localPort, address);
    if (user !== undefined) users.set(socket.localPort, user);
    return socket;
  };
  return { client, turns };
}

async function ask(socket: Socket, path: string): Promise<void> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(socket, 'data');
}

describe('a burst of requests', () => {
  test('is read in turns of bounded length, and each request is answered', async () => {
    const { client, turns } = await serve();
    const clients: Socket[] = [];
    for (let n = 0; n < 100; n += 1) clients.push(await client('burst'));
    for (const round of [1, 2]) await Promise.all(clients.map((socket, n) => ask(socket, `/${round}/${n}`)));
    expect(turns.flat()).toHaveLength(200);
    expect(Math.max(...turns.map((paths) => paths.length))).toBeLessThanOrEqual(IN_TURN);
  });

  test('does not delay the requests of another user', async () => {
    const { client, turns } = await serve();
    const clients: Socket[] = [];
    for (let n = 0; n < 100; n += 1) clients.push(await client('burst'));
    const other = await client('other');
    const answers = [...clients.map((socket) => ask(socket, '/burst')), ask(other, '/other')];
    await Promise.all(answers);
    expect(turns.findIndex((paths) => paths.includes('/other'))).toBeLessThanOrEqual(2);
    expect(turns.length).toBeGreaterThan(10);
  });

  test('from many addresses does not delay the connection of a known user', async () => {
    const { client, turns } = await serve();
    const clients: Socket[] = [];
    for (let n = 0; n < 100; n += 1) clients.push(await client(`address-${n}`));
    const other = await client('home', 'ada');
    await Promise.all([...clients.map((socket) => ask(socket, '/burst')), ask(other, '/other')]);
    expect(turns.findIndex((paths) => paths.includes('/other'))).toBeLessThanOrEqual(2);
    expect(turns.length).toBeGreaterThan(10);
  });

  test.each([
    ['clients without a known user', undefined, 2],
    ['a user', 'ada', IN_TURN - 1],
  ])('of %s is read for a bounded part of a turn', async (_, user, most) => {
    const { client, turns } = await serve();
    const clients: Socket[] = [];
    for (let n = 0; n < 60; n += 1) clients.push(await client(`address-${n}`, user));
    await Promise.all(clients.map((socket) => ask(socket, '/burst')));
    const longest = Math.max(...turns.map((paths) => paths.length));
    expect(longest).toBeGreaterThanOrEqual(most);
    expect(longest).toBeLessThanOrEqual(most + 1);
  });

  test('does not delay the request of a user with many idle connections', async () => {
    const { client, turns } = await serve();
    const clients: Socket[] = [];
    for (let n = 0; n < 100; n += 1) clients.push(await client('burst', 'mallory'));
    const others: Socket[] = [];
    for (let n = 0; n < 40; n += 1) others.push(await client('home', 'ada'));
    const asking = others.slice(19, 20);
    await Promise.all([...clients.map((socket) => ask(socket, '/burst')), ...asking.map((one) => ask(one, '/other'))]);
    expect(turns.findIndex((paths) => paths.includes('/other'))).toBeLessThanOrEqual(2);
    expect(turns.length).toBeGreaterThan(10);
  });

  test('from many addresses of one user does not delay the new connection of another', async () => {
    const { client, turns } = await serve();
    const clients: Socket[] = [];
    for (let n = 0; n < 100; n += 1) await ask(await client(`address-${n}`, 'mallory'), '/known');
    await ask(await client('home', 'ada'), '/known');
    for (let n = 0; n < 100; n += 1) clients.push(await client(`address-${n}`));
    const other = await client('home');
    const before = turns.length;
    await Promise.all([...clients.map((socket) => ask(socket, '/burst')), ask(other, '/other')]);
    expect(turns.slice(before).findIndex((paths) => paths.includes('/other'))).toBeLessThanOrEqual(2);
    expect(turns.length - before).toBeGreaterThan(10);
  });

  test('does not delay the last connection of the same user as long as itself', async () => {
    const { client, turns } = await serve();
    const clients: Socket[] = [];
    for (let n = 0; n < 100; n += 1) clients.push(await client('burst'));
    const last = await client('burst');
    await Promise.all([...clients.map((socket, n) => ask(socket, `/${n}`)), ask(last, '/last')]);
    expect(turns.length).toBeGreaterThan(10);
    expect(turns.findIndex((paths) => paths.includes('/last'))).toBeLessThanOrEqual(2);
    expect(turns.findIndex((paths) => paths.includes('/20'))).toBeLessThan(turns.length - 5);
  });

  test('leaves a connection alone that Node has paused, and one that has closed', async () => {
    const { client, turns } = await serve();
    const clients: Socket[] = [];
    for (let n = 0; n < 50; n += 1) clients.push(await client('burst'));
    const answers = clients.slice(10).map((socket) => ask(socket, '/burst'));
    for (const socket of clients.slice(0, 10)) {
      socket.write('GET /left HTTP/1.1\r\nHost: localhost\r\n\r\n');
      socket.destroy();
    }
    await Promise.all(answers);
    expect(turns.flat().filter((path) => path === '/burst')).toHaveLength(40);
  });
});

test('the ends of a thousand connections are handled in several turns', async () => {
  const { client, turns } = await serve();
  let [ended, most] = [0, 0];
  const count = (): void => {
    if (ended === 0) setImmediate(() => (ended = 0));
    ended += 1;
    most = Math.max(most, ended);
  };
  open.server?.on('connection', (socket: Socket) => void socket.once('end', count));
  const clients: Socket[] = [];
  for (let n = 0; n < 1_000; n += 1) clients.push(await client('burst'));
  for (const socket of clients) socket.end();
  await Promise.all(clients.map((socket) => once(socket.resume(), 'close')));
  expect(most).toBeGreaterThan(100);
  expect(most).toBeLessThan(450);
  await ask(await client('other'), '/after');
  expect(turns.flat()).toEqual(['/after']);
});

describe('a burst of connections', () => {
  test('is accepted before it is read, so that the last one does not wait for the requests of all others', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0); // otherwise the wait ends after some milliseconds
    let arrived = 0;
    const arrivedBefore: number[] = [];
    const server = createServer((_, response) => {
      arrivedBefore.push(arrived);
      response.end('done');
    });
    server.on('connection', noteArrival);
    server.on('connection', () => (arrived += 1));
    limitReads(server, { userOf: () => undefined, clientOf: () => 'burst' });
    open.server = server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const clients = Array.from({ length: 60 }, () => connect((server.address() as AddressInfo).port, '127.0.0.1'));
    open.clients.push(...clients);
    await Promise.all(
      clients.map(async (client) => {
        client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
        await once(client, 'data');
      }),
    );
    expect(arrivedBefore).toHaveLength(60);
    expect(arrivedBefore.filter((number) => number < 60).length).toBeLessThan(5);
  });
});
