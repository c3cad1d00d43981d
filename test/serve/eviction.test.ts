// At the limit of connections, anyone can cause a choice with every connection that they open. It must look at few of
// the connections, and still find the right ones.
import { EventEmitter } from 'node:events';
import type { Server, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { evictWhenFull, type Use } from '../../server/serve/listener/eviction.ts';

type Peer = { client: string; use: Use; user?: string };

function listener(max: number) {
  const server = Object.assign(new EventEmitter(), { maxConnections: max });
  const peers = new Map<Socket, Peer>();
  const [closed, refused]: [Peer[], Peer[]] = [[], []];
  const seen = { looks: 0 };
  const peerOf = (socket: Socket): Peer => peers.get(socket) ?? { client: '', use: 'new' };
  const look = <Value>(value: Value): Value => {
    seen.looks += 1;
    return value;
  };
  evictWhenFull(server as unknown as Server, {
    clientOf: (socket) => peerOf(socket).client,
    useOf: (socket) => look(peerOf(socket).use),
    userOf: (socket) => look(peerOf(socket).user),
    onClosed: () => {},
  });
  const connect = (peer: Peer): Peer => {
    if (peers.size >= max) {
      refused.push(peer); // by Node, before the listener sees it
      server.emit('drop');
      return peer;
    }
    const socket = new EventEmitter() as Socket;
    socket.destroy = () => {
      closed.push(peer);
      peers.delete(socket);
      socket.emit('close');
      return socket;
    };
    peers.set(socket, peer);
    server.emit('connection', socket);
    return peer;
  };
  return { connect, closed, refused, seen };
}

const MANY = 4_000;
const peersOf = (count: number, peer: (number: number) => Peer): Peer[] =>
  Array.from({ length: count }, (_, n) => peer(n));

test.each([
  ['one client', () => 'mallory'],
  ['many clients', (n: number) => `10.0.${n >> 8}.${n & 255}`],
])('%s: each further connection looks at few of the others', (_, client) => {
  const { connect, closed, seen } = listener(MANY);
  for (const peer of peersOf(MANY - 1, (n) => ({ client: client(n), use: 'new' }))) connect(peer);
  seen.looks = 0;
  for (const peer of peersOf(320, (n) => ({ client: client(n), use: 'new' }))) connect(peer);
  expect(closed.length).toBeGreaterThanOrEqual(320);
  expect(seen.looks / 320).toBeLessThan(40);
});

test('strangers are closed before connections with a token, also when those got it later', () => {
  const { connect, closed } = listener(1_000);
  const users = peersOf(900, (n) => connect({ client: 'proxy', use: 'idle', user: `user ${n % 3}` }));
  for (const peer of peersOf(300, () => ({ client: 'mallory', use: 'idle' }))) connect(peer);
  expect(closed.length).toBeGreaterThanOrEqual(200);
  expect(closed.filter((peer) => users.includes(peer))).toEqual([]);
});

test('strangers are found behind many clients with tokens', () => {
  const { connect, closed } = listener(1_000);
  for (const n of Array(450).keys()) for (const _ of [1, 2]) connect({ client: `c${n}`, use: 'idle', user: `u${n}` });
  for (const peer of peersOf(120, (n) => ({ client: `stranger ${n}`, use: 'idle' }))) connect(peer);
  expect(closed.length).toBeGreaterThanOrEqual(20);
  expect(closed.filter(({ user }) => user !== undefined)).toEqual([]);
});

test('without strangers, the user with the most loses the oldest', () => {
  const { connect, closed } = listener(100);
  for (const n of Array(39).keys()) connect({ client: `b${n}`, use: 'idle', user: 'small' });
  for (const peer of peersOf(80, () => ({ client: 'a', use: 'idle', user: 'large' }))) connect(peer);
  expect(new Set(closed.map(({ user }) => user))).toEqual(new Set(['large']));
});

test('idle connections of a user who holds most of them make room for new ones of others', () => {
  const { connect, closed } = listener(1_000);
  for (const peer of peersOf(990, (n) => ({ client: `10.0.0.${n % 30}`, use: 'idle', user: 'mallory' }))) connect(peer);
  const others = peersOf(200, (n) => connect({ client: `b${n % 5}`, use: n % 2 === 0 ? 'new' : 'receiving' }));
  expect(closed.length).toBeGreaterThanOrEqual(190);
  expect(closed.filter((peer) => others.includes(peer))).toEqual([]);
});

test('busy connections stay, and the next client is tried', () => {
  const { connect, closed } = listener(100);
  for (const peer of peersOf(60, () => ({ client: 'busy', use: 'busy' }))) connect(peer);
  for (const peer of peersOf(60, () => ({ client: 'idle', use: 'idle' }))) connect(peer);
  expect(new Set(closed.map(({ client }) => client))).toEqual(new Set(['idle']));
});

test.each([200, 700, 900])('%i streams of a user do not protect the idle connections of that user', (streams) => {
  const { connect, closed, refused } = listener(1_000);
  for (const peer of peersOf(1_000, (n) => ({ client: 'a', use: n < streams ? 'busy' : 'idle', user: 'mallory' })))
    connect(peer);
  const others = peersOf(60, (n) => connect({ client: `b${n}`, use: 'idle', user: `user ${n}` }));
  expect(refused.length).toBeLessThanOrEqual(2);
  expect(closed.filter((peer) => others.includes(peer))).toEqual([]);
  expect(new Set(closed.map(({ use }) => use))).toEqual(new Set(['idle']));
});

test('a flood of strangers with requests in progress closes no connection with a token, and makes room for others', () => {
  const { connect, closed } = listener(1_000);
  const users = peersOf(100, (n) => connect({ client: 'proxy', use: 'idle', user: `user ${n % 3}` }));
  for (const peer of peersOf(2_000, (n) => ({ client: `10.0.0.${n % 50}`, use: 'busy' }))) connect(peer);
  expect(closed.length).toBeGreaterThanOrEqual(1_100);
  expect(closed.filter((peer) => users.includes(peer))).toEqual([]);
});

test('a few strangers with requests in progress, such as logins, stay, and idle connections with a token make room', () => {
  const { connect, closed } = listener(1_000);
  peersOf(950, () => connect({ client: 'proxy', use: 'idle', user: 'bob' }));
  const logins = peersOf(60, (n) => connect({ client: `10.0.0.${n}`, use: 'busy' }));
  expect(closed.length).toBeGreaterThan(0);
  expect(closed.filter((peer) => logins.includes(peer))).toEqual([]);
});
