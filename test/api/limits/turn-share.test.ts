// Large bodies share event loop turns: each turn processes a limited amount, and the rest follows in order.
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import {
  noteArrival,
  openFairTurns,
  openTenantTurns,
  openTurnShare,
  yieldToConnections,
} from '../../../server/domain/time/turn-share.ts';

afterEach(() => void vi.restoreAllMocks());

/** The names of the pieces that have started, when each uses the whole budget. */
function openBench(max: number) {
  const share = openTurnShare(max);
  const begun: string[] = [];
  const take = (name: string, bytes: number): void => {
    const waiting = share(bytes);
    if (waiting === undefined) begun.push(name);
    else void waiting.then(() => begun.push(name));
  };
  return { begun, take };
}

test('a turn runs pieces until its budget is used up, and the next turns run the rest in order', async () => {
  const { begun, take } = openBench(100);
  for (const name of ['a', 'b', 'c', 'd', 'e']) take(name, 50);
  expect(begun).toEqual(['a', 'b']);
  await setImmediate();
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  await setImmediate();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a piece larger than the budget gets a turn to itself', async () => {
  const { begun, take } = openBench(100);
  for (const name of ['a', 'b', 'c']) take(name, 1_000);
  expect(begun).toEqual(['a']);
  await setImmediate();
  expect(begun).toEqual(['a', 'b']);
});

test('later pieces never overtake queued ones', async () => {
  const { begun, take } = openBench(100);
  take('a', 100);
  take('b', 1);
  await setImmediate();
  take('c', 1);
  expect(begun).toEqual(['a', 'b', 'c']);
  take('d', 100);
  take('e', 100);
  take('f', 1);
  await setImmediate();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  await setImmediate();
  expect(begun.at(-1)).toBe('f');
});

test('work of a closed connection leaves the line at once, spends nothing, and keeps nothing', async () => {
  const share = openTurnShare(100);
  const connections = Array.from({ length: 4 }, () => new EventEmitter());
  const begun: number[] = [];
  connections.forEach((connection, index) => void share(100, connection)?.then(() => begun.push(index)));
  expect(connections.map((connection) => connection.listenerCount('close'))).toEqual([0, 1, 1, 1]);
  connections[2]?.emit('close');
  await Promise.resolve();
  expect(begun).toEqual([2]);
  await setImmediate();
  expect(begun).toEqual([2, 1]);
  await setImmediate();
  expect(begun).toEqual([2, 1, 3]);
  expect(connections.map((connection) => connection.listenerCount('close'))).toEqual([0, 0, 0, 0]);
});

test('work of a connection adds one listener, whatever its amount', async () => {
  const share = openTurnShare(100);
  const connection = new EventEmitter();
  const begun: number[] = [];
  for (let number = 0; number < 20; number++) void share(50, connection)?.then(() => begun.push(number));
  expect(connection.listenerCount('close')).toBe(1);
  await setImmediate();
  expect(begun).toEqual([2, 3]);
  connection.emit('close');
  await setImmediate();
  expect([begun.length, connection.listenerCount('close')]).toEqual([18, 0]);
});

test('an idle turn restores the whole budget', async () => {
  const { begun, take } = openBench(100);
  take('a', 100);
  for (let turn = 0; turn < 3; turn++) await setImmediate();
  take('b', 100);
  expect(begun).toEqual(['a', 'b']);
});

test('each tenant runs in every event loop turn, however many pieces another tenant has queued', async () => {
  const turn = openTenantTurns();
  const begun: string[] = [];
  const take = (tenant: string, name: string): void => void turn(tenant).then(() => begun.push(name));
  for (let count = 1; count <= 100; count++) take('large', `large ${count}`);
  take('small', 'small 1');
  await setImmediate();
  expect(begun.slice(0, 2)).toEqual(['large 1', 'small 1']);
  take('small', 'small 2');
  await setImmediate();
  await setImmediate();
  expect(begun).toContain('small 2');
  expect(begun.length).toBeLessThan(10);
  await expect.poll(() => begun.length).toBe(102);
  expect(begun.filter((name) => name.startsWith('large'))).toEqual(
    Array.from({ length: 100 }, (_, index) => `large ${index + 1}`),
  );
});

/** Admits the names, each `tenant amount`, of which those in `left` have left when their turn comes. */
function openFair(left: readonly string[] = []) {
  const turn = openFairTurns();
  const begun: string[] = [];
  const take = (name: string): void => {
    const [tenant = '', amount] = name.split(' ');
    void turn(tenant, Number(amount), () => left.includes(name)).then(() => begun.push(name));
  };
  return { begun, take };
}

test('in fair turns, one piece runs per turn, and tenants get equal amounts', async () => {
  const { begun, take } = openFair();
  for (const name of ['a 4', 'a 4', 'a 4', 'b 3', 'b 3', 'c 9', 'c 9']) take(name);
  const counts: number[] = [];
  while (begun.length < 7) {
    await setImmediate();
    counts.push(begun.length);
  }
  expect(begun).toEqual(['a 4', 'b 3', 'c 9', 'b 3', 'a 4', 'a 4', 'c 9']);
  expect(counts).toEqual([2, 3, 4, 5, 6, 7]);
});

test('in fair turns, a tenant with small pieces does not wait for a round of those with large ones', async () => {
  const { begun, take } = openFair();
  const large = Array.from({ length: 20 }, (_, number) => `large-${number} 3000`);
  for (let round = 0; round < 3; round++) large.forEach(take);
  await expect.poll(() => begun.length).toBeGreaterThan(20);
  for (let sent = 0; sent < 5; sent++) {
    const before = begun.length;
    take('small 100');
    while (begun.filter((name) => name === 'small 100').length === sent) await setImmediate();
    expect(begun.length - before).toBeLessThanOrEqual(3);
  }
});

test('in fair turns, a tenant that was alone owes nothing once nobody waits', async () => {
  const { begun, take } = openFair();
  for (let sent = 0; sent < 3; sent++) take('alone 1000');
  await expect.poll(() => begun.length).toBe(3);
  await setImmediate();
  for (const name of ['first 1', 'alone 10', 'other 10']) take(name);
  await expect.poll(() => begun.length).toBe(6);
  expect(begun.slice(3)).toEqual(['first 1', 'alone 10', 'other 10']);
});

test('in fair turns, those who have left use no turn', async () => {
  const { begun, take } = openFair(['b 1', 'c 1']);
  for (const name of ['a 1', 'b 1', 'c 1', 'd 1']) take(name);
  await expect.poll(() => begun.length).toBeGreaterThan(1);
  expect(begun).toEqual(['a 1', 'b 1', 'c 1', 'd 1']);
});

test('work pauses for as long as connections arrive, but not forever', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  let isOver = false;
  const turn = async (): Promise<boolean> => {
    noteArrival();
    await setImmediate();
    return isOver;
  };
  yieldToConnections(() => (isOver = true));
  for (let turns = 0; turns < 50; turns++) expect(await turn()).toBe(false);
  now = 1_000;
  expect(await turn()).toBe(true);
});

test('work continues in the next turn when no connection arrives', async () => {
  let isOver = false;
  yieldToConnections(() => (isOver = true));
  expect(isOver).toBe(false);
  await setImmediate();
  expect(isOver).toBe(true);
});
