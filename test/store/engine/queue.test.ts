// The order in which a queue hands on what waits in it: tenants in turn, and each tenant's own in the order it came.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openQueue } from '../../../server/store/engine/queue.ts';
import { openTestDatabase } from '../../support/test-database.ts';

type Item = { tenant: string; number: number };

const items = (tenant: string, count: number): Item[] => Array.from({ length: count }, (_, number) => ({ tenant, number }));
const named = ({ tenant, number }: Item): string => `${tenant}${number}`;

const fail = (error: unknown): never => {
  throw error;
};

async function consumed(pushed: readonly Item[], maxGroup: number, leave: (group: readonly Item[]) => readonly Item[] = () => []): Promise<string[][]> {
  const groups: string[][] = [];
  const queue = openQueue<Item>(maxGroup, async (group) => {
    const left = leave(group);
    groups.push(group.filter((item) => !left.includes(item)).map(named));
    return left;
  }, fail);
  pushed.forEach(queue.push);
  await queue.close();
  return groups;
}

test('what one tenant has queued is taken in its order', async () => {
  expect(await consumed(items('a', 5), 2)).toEqual([['a0', 'a1'], ['a2', 'a3'], ['a4']]);
});

test('a group begins within a few turns, although another item comes in every one of them', async () => {
  const groups: string[][] = [];
  const queue = openQueue<Item>(256, async (group) => (groups.push(group.map(named)), []), fail);
  for (const item of items('a', 100)) {
    queue.push(item);
    await nextTurn();
  }
  await queue.close();
  expect(groups.length).toBeGreaterThan(10);
  expect(groups.flat()).toEqual(items('a', 100).map(named));
});

test('a group takes one of each tenant before the second of any', async () => {
  const groups = await consumed([...items('a', 5), ...items('b', 2), ...items('c', 1)], 4);
  expect(groups).toEqual([['a0', 'b0', 'c0', 'a1'], ['b1', 'a2', 'a3', 'a4']]);
});

test('the next group goes on with the tenant after the last one served', async () => {
  expect(await consumed([...items('a', 3), ...items('b', 3), ...items('c', 3)], 2)).toEqual([['a0', 'b0'], ['c0', 'a1'], ['b1', 'c1'], ['a2', 'b2'], ['c2']]);
});

test('what is left comes again before what its tenant queued after it', async () => {
  let times = 0;
  const groups = await consumed([...items('a', 3), ...items('b', 1)], 2, (group) => (times++ === 0 ? group.filter(({ tenant }) => tenant === 'a') : []));
  expect(groups).toEqual([['b0'], ['a0', 'a1'], ['a2']]);
});

test('a tenant that a group did not reach goes first in the next, however much another has queued', async () => {
  const groups = await consumed([...items('a', 9), ...items('b', 2)], 4, (group) => group.slice(1));
  expect(groups.slice(0, 4)).toEqual([['a0'], ['b0'], ['a1'], ['b1']]);
});

test('a tenant that comes while another takes all the time goes before it', async () => {
  const groups: string[] = [];
  const queue = openQueue<Item>(4, async (group) => {
    groups.push(named(group[0] ?? { tenant: 'nobody', number: 0 }));
    if (groups.length === 2) setImmediate(() => items('b', 1).forEach(queue.push));
    return group.slice(1);
  }, fail);
  items('a', 5).forEach(queue.push);
  await queue.close();
  expect(groups).toEqual(['a0', 'a1', 'b0', 'a2', 'a3', 'a4']);
});

test('tenants that a group reached in vain wait for those it did not take', async () => {
  let times = 0;
  const groups = await consumed([...items('a', 1), ...items('b', 1), ...items('c', 1)], 2, (group) => (times++ === 0 ? group : []));
  expect(groups).toEqual([[], ['c0', 'a0'], ['b0']]);
});

test('reads that take long leave turns of the event loop to others, and every one is answered', async () => {
  const database = await openTestDatabase(undefined, undefined, () => performance.now());
  const busyFor = (milliseconds: number): void => {
    for (const end = performance.now() + milliseconds; performance.now() < end; );
  };
  let turns = 0;
  let isDone = false;
  const reads = Array.from({ length: 5 }, (_, index) => database.read(async () => (busyFor(11), index)));
  const counting = (async () => {
    for (; !isDone; turns++) await nextTurn();
  })();
  expect(await Promise.all(reads)).toEqual([0, 1, 2, 3, 4]);
  isDone = true;
  await counting;
  expect(turns).toBeGreaterThanOrEqual(5);
});
