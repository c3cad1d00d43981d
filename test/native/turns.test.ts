// A queue that runs one job at a time: who waits, who goes first, and who is rejected.
import { expect, test } from 'vitest';
import { openTurns, type Turn, type TurnLimits } from '../../server/native/turns.ts';

/** A queue with jobs that the test completes, and the outcome of each. */
function openBench(maxWaiting: number, limits: Partial<TurnLimits> = {}) {
  const time = { now: 0 };
  const turns = openTurns({
    maxWaiting,
    maxWaitingPerClient: 99,
    maxWaitingPerUser: 99,
    favored: { known: 3, change: 2 },
    ...limits,
    now: () => time.now,
    busy: () => new Error('busy'),
    left: () => new Error('left'),
  });
  const begun: { name: string; finish: () => void }[] = [];
  const ended: string[] = [];
  const ask = (name: string, turn: Turn = {}): void =>
    void turns
      .take(() => {
        const { promise, resolve } = Promise.withResolvers<void>();
        begun.push({ name, finish: resolve });
        return promise;
      }, turn)
      .then(
        () => ended.push(name),
        (error: Error) => ended.push(`${name} ${error.message}`),
      );
  const finishOne = async (): Promise<string | undefined> => {
    const count = begun.length;
    begun.at(-1)?.finish();
    if (turns.waiting() > 0) await expect.poll(() => begun.length).toBe(count + 1);
    return begun.at(-1)?.name;
  };
  /** Runs one job for each name to completion. */
  const runAll = async (names: readonly string[], turn: Turn): Promise<void> => {
    for (const name of names) {
      ask(name, turn);
      begun.at(-1)?.finish();
      await expect.poll(() => ended.includes(name)).toBe(true);
    }
  };
  const order = async (): Promise<string[]> => {
    const names: string[] = [];
    while (turns.waiting() > 0) names.push((await finishOne()) ?? '');
    return names;
  };
  return { time, turns, begun, ended, ask, finishOne, runAll, order };
}

test('one job runs, the others wait in order of arrival', async () => {
  const { ask, begun, finishOne } = openBench(2);
  for (const name of ['a', 'b', 'c']) ask(name);
  expect(begun.map(({ name }) => name)).toEqual(['a']);
  expect([await finishOne(), await finishOne()]).toEqual(['b', 'c']);
});

test('a job beyond the limit is rejected, and one with priority takes the place of the latest without it', async () => {
  const { ask, begun, ended, finishOne, turns } = openBench(2);
  for (const name of ['a', 'b', 'c', 'd']) ask(name);
  ask('first', { rank: 'known' });
  ask('second', { rank: 'known' });
  ask('third', { rank: 'known' });
  await expect.poll(() => ended.toSorted()).toEqual(['b busy', 'c busy', 'd busy', 'third busy']);
  expect(turns.waiting()).toBe(2);
  expect([begun[0]?.name, await finishOne(), await finishOne()]).toEqual(['a', 'first', 'second']);
});

test('an aborted waiting job gives up its place, and a running one completes', async () => {
  const { ask, begun, ended, finishOne } = openBench(5);
  const [running, waiting] = [new AbortController(), new AbortController()];
  ask('a', { gone: running.signal });
  ask('b', { gone: waiting.signal });
  ask('c');
  running.abort();
  waiting.abort();
  ask('d', { gone: waiting.signal });
  await expect.poll(() => ended.toSorted()).toEqual(['b left', 'd left']);
  await finishOne();
  expect(begun.map(({ name }) => name)).toEqual(['a', 'c']);
});

test('the order is: the operator, half-done work, logins from known addresses, password changes, unknown addresses', async () => {
  const { ask, order } = openBench(9);
  ask('running');
  ask('unknown');
  ask('change', { rank: 'change', user: 'u1' });
  ask('known', { rank: 'known', user: 'u2' });
  ask('begun', { rank: 'begun', user: 'u1' });
  ask('operator', { rank: 'operator' });
  expect(await order()).toEqual(['operator', 'begun', 'known', 'change', 'unknown']);
});

test('within a rank, a user with fewer recent jobs goes first, and a user with many ranks as unknown', async () => {
  const { time, ask, order, finishOne, runAll } = openBench(9);
  const [frequent, rare] = [
    { rank: 'known', user: 'frequent' },
    { rank: 'known', user: 'rare' },
  ] as const;
  await runAll(['a', 'b', 'c'], frequent);
  ask('running', frequent);
  ask('frequent', frequent);
  ask('unknown', { client: 'ip-2' });
  ask('rare', rare);
  expect(await order()).toEqual(['rare', 'unknown', 'frequent']);
  await finishOne();
  time.now += 60_000;
  ask('running 2');
  ask('rare 2', rare);
  ask('frequent 2', frequent);
  expect(await order()).toEqual(['rare 2', 'frequent 2']);
});

test('many logins of a user, right or wrong, take no password change of the same user its place before strangers', async () => {
  const { ask, order, runAll } = openBench(9);
  await runAll(['a', 'b', 'c', 'd'], { rank: 'known', user: 'u1' });
  ask('running');
  ask('unknown', { client: 'ip-2' });
  ask('change', { rank: 'change', user: 'u1' });
  expect(await order()).toEqual(['change', 'unknown']);
});

test('users of one address do not wait for each other: the address decides last', async () => {
  const { ask, order, runAll } = openBench(9);
  await runAll(['a', 'b'], { rank: 'known', user: 'flooder', client: 'office' });
  ask('running');
  ask('flooder', { rank: 'known', user: 'flooder', client: 'elsewhere' });
  ask('neighbor', { rank: 'known', user: 'neighbor', client: 'office' });
  ask('other', { rank: 'known', user: 'other', client: 'home' });
  expect(await order()).toEqual(['other', 'neighbor', 'flooder']);
});

test('a user and an address have a share of the queue, which a job with priority can take', async () => {
  const { ask, ended, order } = openBench(9, { maxWaitingPerClient: 2, maxWaitingPerUser: 1 });
  ask('running');
  ask('change', { rank: 'change', user: 'u1', client: 'ip-1' });
  ask('change 2', { rank: 'change', user: 'u1', client: 'ip-2' });
  ask('known', { rank: 'known', user: 'u1', client: 'ip-1' });
  for (const name of ['a', 'b', 'c']) ask(name, { client: 'ip-3' });
  ask('known of c', { rank: 'known', user: 'u3', client: 'ip-3' });
  await expect.poll(() => ended.toSorted()).toEqual(['b busy', 'c busy', 'change 2 busy', 'change busy']);
  expect(await order()).toEqual(['known', 'known of c', 'a']);
});

test('40 users who change their passwords repeatedly make a login wait only for the running job', async () => {
  const { ask, finishOne, ended } = openBench(32, { maxWaitingPerClient: 8, maxWaitingPerUser: 4 });
  const flood = (round: number) =>
    Array.from({ length: 40 }, (_, index) =>
      ask(`change ${round} ${index}`, { rank: 'change', user: `u${index}`, client: `ip-${index % 10}` }),
    );
  for (let round = 0; round < 3; round++) {
    flood(round);
    ask(`login ${round}`, { rank: 'known', user: 'ann', client: 'home' });
    expect(await finishOne()).toBe(`login ${round}`);
    expect(await finishOne()).toMatch(/^change/);
  }
  expect(ended.filter((name) => /^login \d busy/.test(name))).toEqual([]);
});

test('jobs of long ago, or more than 1,000 jobs ago, are forgotten', async () => {
  const { ask, order, runAll } = openBench(9);
  await runAll(['a', 'b', 'c', 'd'], { rank: 'known', user: 'ann' });
  await runAll(
    Array.from({ length: 1_000 }, (_, index) => `other ${index}`),
    {},
  );
  ask('running');
  ask('change', { rank: 'change', user: 'ben' });
  ask('known', { rank: 'known', user: 'ann' });
  expect(await order()).toEqual(['known', 'change']);
});
