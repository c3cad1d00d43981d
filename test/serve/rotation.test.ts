// Connections that wait to be read: clients in rotation, the newest and the oldest of each in turn, and none that has
// closed.
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { openRotation, openTwoRotations } from '../../server/serve/listener/rotation.ts';

/** The holder of a connection is the first letter of its name; capital ones are users. */
function rotate(names: readonly string[], isDivided = false) {
  const sockets = new Map(names.map((name) => [name, new Socket()]));
  const nameOf = (socket: Socket | undefined) => names.find((name) => sockets.get(name) === socket);
  const holderOf = (socket: Socket) => nameOf(socket)?.[0] ?? '';
  const userOf = (socket: Socket) => (/[A-Z]/.test(holderOf(socket)) ? holderOf(socket) : undefined);
  const rotation = isDivided ? openTwoRotations(userOf, holderOf) : openRotation(holderOf);
  for (const socket of sockets.values()) rotation.add(socket);
  const take = (isFull?: (holder: string) => boolean) => nameOf(rotation.take(isFull));
  const remove = (name: string) => rotation.remove(sockets.get(name) ?? new Socket());
  return { ...rotation, take, remove, sockets };
}

test('clients take turns, each with its newest and its oldest connection', () => {
  const { take, size } = rotate(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']);
  expect(Array.from({ length: 7 }, () => take())).toEqual(['a4', 'b1', 'c2', 'a1', 'c1', 'a3', 'a2']);
  expect([take(), size()]).toEqual([undefined, 0]);
});

test('connections that have closed use no turn', () => {
  const names = Array.from({ length: 100 }, (_, number) => `a${number}`);
  const { take, remove, size } = rotate(names);
  for (const name of names.slice(1)) remove(name);
  expect([size(), take(), take()]).toEqual([1, 'a0', undefined]);
});

test('the connection that waits longest can be taken out of turn', () => {
  const sockets = ['a1', 'a2', 'b1'].map((name) => Object.assign(new Socket(), { holder: name[0] ?? '' }));
  const rotation = openRotation((socket) => sockets.find((each) => each === socket)?.holder ?? '');
  for (const socket of sockets) rotation.add(socket);
  expect(rotation.takeOldest()).toBe(sockets[0]);
  expect(rotation.take()).toBe(sockets[1]);
  expect([rotation.takeOldest(), rotation.takeOldest(), rotation.size()]).toEqual([sockets[2], undefined, 0]);
});

test('a client that is full is passed over and keeps its place', () => {
  const { take, size } = rotate(['a1', 'b1', 'b2']);
  expect(take((holder) => holder !== 'b')).toBe('b2');
  expect([take(() => true), size()]).toEqual([undefined, 2]);
  expect([take(), take()]).toEqual(['a1', 'b1']);
});

test('a connection that is added again keeps its place', () => {
  const { add, has, take, sockets } = rotate(['a1', 'b1']);
  const [first = new Socket()] = sockets.values();
  add(first);
  expect([has(first), take(), has(first), take(), take()]).toEqual([true, 'a1', false, 'b1', undefined]);
});

test('users and clients without a known user take turns, however many of these there are', () => {
  const { take, has, add, remove, size, sockets } = rotate(['a1', 'b1', 'c1', 'd1', 'A1', 'A2', 'B1'], true);
  for (const socket of sockets.values()) {
    add(socket);
    expect(has(socket)).toBe(true);
  }
  remove('d1');
  expect(size()).toBe(6);
  expect(take((holder) => holder === 'A')).toBe('B1');
  expect(Array.from({ length: 6 }, () => take())).toEqual(['a1', 'A2', 'b1', 'A1', 'c1', undefined]);
});
