// The order in which a queue runs its items: tenants and users by the time they have used, and each tenant's items in
// order of arrival.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openQueue } from '../../../server/store/engine/queue.ts';
import { openUsage } from '../../../server/store/engine/usage.ts';
import { openTestDatabase } from '../../support/store/test-database.ts';

type Item = { tenant: string; user?: string; number: number; queuedAt: number };

const items = (tenant: string, count: number, user?: string): Item[] =>
  Array.from({ length: count }, (_, number) => ({
    tenant,
    number,
    queuedAt: number,
    ...(user !== undefined && { user }),
  }));
const named = ({ tenant, number }: Item): string => `${tenant}${number}`;

const fail = (error: unknown): never => {
  throw error;
};

type Consumer = {
  maxGroup?: number;
  /** Milliseconds per item. A group ends after 5. */
  costOf?: (item: Item) => number;
  /** Called with each item after it was consumed. */
  after?: (item: Item, queue: { push(item: Item): void }) => void;
};

/** A queue whose items take time on a manual clock. Returns the items of each group. */
function openGroups({ maxGroup = 256, costOf = () => 1, after = () => {} }: Consumer) {
  const groups: string[][] = [];
  const usage = openUsage(() => now);
  let now = 0;
  const consume = async (group: readonly Item[]): Promise<readonly Item[]> => {
    const slice = usage.openSlice(5);
    const done: Item[] = [];
    for (const item of group) {
      now += costOf(item);
      done.push(item);
      if (slice.isOverAfter([item])) break;
    }
    groups.push(done.map(named));
    for (const item of done) after(item, queue);
    return group.slice(done.length);
  };
  const queue = openQueue<Item>({ maxGroup, maxWaitMs: 5, consume, usage, onFatal: fail });
  return { queue, groups };
}

async function consumed(pushed: readonly Item[], consumer: Consumer = {}): Promise<string[][]> {
  const { queue, groups } = openGroups(consumer);
  pushed.forEach(queue.push);
  await queue.close();
  return groups;
}

test('the items of one tenant run in order', async () => {
  expect(await consumed(items('a', 5), { maxGroup: 2 })).toEqual([['a0', 'a1'], ['a2', 'a3'], ['a4']]);
});

test('a group begins within a few turns, even if another item arrives in each of them', async () => {
  const { queue, groups } = openGroups({});
  for (const item of items('a', 100)) {
    queue.push(item);
    await nextTurn();
  }
  await queue.close();
  expect(groups.length).toBeGreaterThan(10);
  expect(groups.flat()).toEqual(items('a', 100).map(named));
});

test('tenants with equally expensive items alternate', async () => {
  const groups = await consumed([...items('a', 5), ...items('b', 2), ...items('c', 1)]);
  expect(groups.flat()).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'a3', 'a4']);
});

test('tenants alternate although their items take no measurable time', async () => {
  const groups = await consumed([...items('a', 4), ...items('b', 4)], { maxGroup: 3, costOf: () => 0 });
  expect(groups.flat().slice(0, 6).toSorted()).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2']);
});

test('unprocessed items come before items their tenant queued later', async () => {
  const costOf = ({ tenant }: Item): number => (tenant === 'b' ? 5 : 0.1);
  const groups = await consumed([...items('b', 3), ...items('a', 3)], { maxGroup: 2, costOf });
  expect(groups.flat().filter((name) => name.startsWith('a'))).toEqual(['a0', 'a1', 'a2']);
  expect(groups.flat().filter((name) => name.startsWith('b'))).toEqual(['b0', 'b1', 'b2']);
});

test('a tenant that a group did not reach is first in the next, however much another has queued', async () => {
  const groups = await consumed([...items('a', 9), ...items('b', 2)], { costOf: () => 5 });
  expect(groups.slice(0, 2)).toEqual([['a0'], ['b0']]);
  expect(groups.slice(2, 4).flat().toSorted()).toEqual(['a1', 'b1']);
});

test('a new tenant goes before one that uses all the time', async () => {
  const after: Consumer['after'] = (item, queue) => {
    if (named(item) === 'a1') items('b', 1).forEach(queue.push);
  };
  expect((await consumed(items('a', 5), { costOf: () => 5, after })).flat()).toEqual([
    'a0',
    'a1',
    'b0',
    'a2',
    'a3',
    'a4',
  ]);
});

test('many short items of one tenant run between the long ones of another', async () => {
  const { queue, groups } = openGroups({ costOf: ({ tenant }) => (tenant === 'long' ? 5 : 0.1) });
  [...items('long', 1), ...items('short', 1)].forEach(queue.push);
  await queue.close();
  [...items('long', 20), ...items('short', 100)].forEach(queue.push);
  await queue.close();
  const order = groups.flat().slice(2);
  expect(order.indexOf('short99')).toBeLessThan(order.indexOf('long4'));
});

test('a user with many tenants gets no more time than one with a single tenant', async () => {
  const tenants = Array.from({ length: 30 }, (_, number) => `m${number}-`);
  let last = 0;
  const waits: number[] = [];
  const after: Consumer['after'] = (item, queue) => {
    if (item.user === 'mallory') return queue.push({ ...item, number: item.number + 1 });
    waits.push(groups.length - last);
    last = groups.length;
    if (waits.length < 50) queue.push({ ...item, number: item.number + 1 });
    else queue.push = () => {}; // mallory stops too
  };
  const { queue, groups } = openGroups({ costOf: ({ user }) => (user === 'mallory' ? 4 : 0.2), after });
  tenants.flatMap((tenant) => items(tenant, 1, 'mallory')).forEach(queue.push);
  items('a', 1, 'ada').forEach(queue.push);
  await queue.close();
  expect(Math.max(...waits.slice(1))).toBeLessThanOrEqual(2);
});

test('nobody pays for time used while nobody else waited', async () => {
  const { queue, groups } = openGroups({ costOf: () => 5 });
  items('a', 100).forEach(queue.push);
  await queue.close();
  [...items('a', 1), ...items('b', 3)].forEach(queue.push);
  await queue.close();
  expect(groups.flat().indexOf('a0', 100)).toBeLessThan(102);
});

test('one that uses little does not wait for the turn of many that use all the time', async () => {
  const many = Array.from({ length: 24 }, (_, number) => `m${number}-`);
  let last = 0;
  const waits: number[] = [];
  const after: Consumer['after'] = (item, queue) => {
    if (waits.length < 200) queue.push({ ...item, number: item.number + 1 });
    if (item.tenant !== 'a') return;
    waits.push(groups.length - last);
    last = groups.length;
  };
  const { queue, groups } = openGroups({ costOf: ({ tenant }) => (tenant === 'a' ? 0.1 : 5), after });
  items('a', 1).forEach(queue.push); // first, so that it has used time before the others
  many.flatMap((tenant) => items(tenant, 1)).forEach(queue.push);
  await queue.close();
  expect(Math.max(...waits.slice(2))).toBeLessThanOrEqual(3); // the first calls show what each costs
});

test('long reads leave event loop turns to others, and all of them complete', async () => {
  const database = await openTestDatabase(undefined, undefined, () => performance.now());
  const busyFor = (milliseconds: number): void => {
    for (const end = performance.now() + milliseconds; performance.now() < end; );
  };
  let turns = 0;
  let isDone = false;
  const reads = Array.from({ length: 5 }, (_, index) =>
    database.read(async () => {
      busyFor(11);
      return index;
    }),
  );
  const counting = (async () => {
    for (; !isDone; turns++) await nextTurn();
  })();
  expect(await Promise.all(reads)).toEqual([0, 1, 2, 3, 4]);
  isDone = true;
  await counting;
  expect(turns).toBeGreaterThanOrEqual(5);
});

test('what waits can be sifted while a group runs, and keeps its order', async () => {
  const { queue, groups } = openGroups({
    maxGroup: 1,
    after: ({ number }) => number === 0 && queue.sift((waiting) => waiting.filter((item) => item.number % 2 === 0)),
  });
  [...items('a', 5), ...items('b', 3)].forEach(queue.push);
  await queue.close();
  expect(groups.flat().toSorted()).toEqual(['a0', 'a2', 'a4', 'b0', 'b2']);
  expect(queue.waiting().count).toBe(0);
});

test('items that arrive before a group begins join it if they fit, and those of a tenant stay in order', async () => {
  const groups: string[][] = [];
  const usage = openUsage(() => 0);
  const queue = openQueue<Item>({
    maxGroup: 6,
    maxWaitMs: 5,
    usage,
    onFatal: fail,
    consume: async (group, join) => {
      if (groups.length === 0) for (const item of later) queue.push(item);
      const joined = join(({ number }) => number !== 1);
      expect(queue.waiting().count).toBe(groups.length === 0 ? 8 : group.length);
      groups.push([...group, ...joined].map(named));
      return [];
    },
  });
  const later = [...items('a', 3), ...items('b', 1), ...items('c', 3)];
  queue.push({ tenant: 'x', number: 0, queuedAt: 0 });
  await queue.close();
  expect(groups[0]?.[0]).toBe('x0');
  expect(groups[0]?.slice(1).toSorted()).toEqual(['a0', 'b0', 'c0']);
  expect(groups.slice(1).flat().toSorted()).toEqual(['a1', 'a2', 'c1', 'c2']);
  const orderOf = (tenant: string) => groups.flat().filter((name) => name.startsWith(tenant));
  expect([orderOf('a'), orderOf('c')]).toEqual([
    ['a0', 'a1', 'a2'],
    ['c0', 'c1', 'c2'],
  ]);
});

test('what joins a group counts toward its size', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sizes: number[] = [];
  const queue = openQueue<Item>({
    maxGroup: 4,
    maxWaitMs: 5,
    usage: openUsage(() => 0),
    onFatal: fail,
    consume: async (group, join) => {
      await promise;
      sizes.push(group.length + join(() => true).length);
      return [];
    },
  });
  queue.push({ tenant: 'a', number: 0, queuedAt: 0 });
  await nextTurn();
  await nextTurn();
  for (const item of items('b', 5)) queue.push(item);
  resolve();
  await queue.close();
  expect(sizes).toEqual([4, 2]);
});
