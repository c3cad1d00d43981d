// The database time that tenants and users have used: it is summed, decays, and takes no memory once it has decayed.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { openUsage } from '../../../server/store/engine/usage.ts';

/** After garbage collection. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

function open() {
  const clock = { now: 0 };
  return { clock, usage: openUsage(() => clock.now) };
}

test('the time of a tenant is summed, and halves each second', () => {
  const { clock, usage } = open();
  usage.charge({ tenant: 'a' }, 6);
  usage.charge({ tenant: 'a' }, 2);
  expect(usage.of({ tenant: 'a' })).toBe(8);
  clock.now = 3_000;
  expect(usage.of({ tenant: 'a' })).toBe(1);
  usage.charge({ tenant: 'a' }, 2);
  expect(usage.of({ tenant: 'a' })).toBe(3);
  expect(usage.of({ tenant: 'b' })).toBe(0);
});

test('the time of a user covers all tenants, and the time of a tenant all users', () => {
  const { usage } = open();
  usage.charge({ tenant: 'a', user: 'ada' }, 1);
  usage.charge({ tenant: 'b', user: 'ada' }, 2);
  usage.charge({ tenant: 'b', user: 'bob' }, 4);
  expect(usage.of({ tenant: 'c', user: 'ada' })).toBe(3);
  expect(usage.of({ tenant: 'b', user: 'ada' })).toBe(6);
  expect(usage.of({ tenant: 'c', user: 'bob' })).toBe(4);
});

test('a call across all networks of a user, whose tenant is the user, counts once', () => {
  const { usage } = open();
  usage.charge({ tenant: 'ada', user: 'ada' }, 4);
  expect(usage.of({ tenant: 'ada', user: 'ada' })).toBe(4);
});

test('the cost of a call follows the latest calls', () => {
  const { usage } = open();
  for (let call = 0; call < 100; call++) usage.charge({ tenant: 'a' }, 1);
  expect(usage.costOf('a')).toBeCloseTo(1);
  for (let call = 0; call < 30; call++) usage.charge({ tenant: 'a' }, 9);
  expect(usage.costOf('a')).toBeGreaterThan(8);
});

test('a slice charges each item the time since the previous one, and ends after its total', () => {
  const { clock, usage } = open();
  const slice = usage.openSlice(5);
  clock.now = 2;
  expect(slice.isOverAfter({ tenant: 'a' })).toBe(false);
  clock.now = 6;
  expect(slice.isOverAfter({ tenant: 'b' })).toBe(true);
  clock.now = 9;
  slice.divideAmong([{ tenant: 'c' }, { tenant: 'd' }, { tenant: 'd' }]);
  clock.now = 6;
  expect(['a', 'b', 'c', 'd'].map((tenant) => Math.round(usage.of({ tenant }) * 2 ** (6 / 1_000)))).toEqual([
    2, 4, 1, 2,
  ]);
});

test('a hundred thousand tenants that were seen once are forgotten', () => {
  const { clock, usage } = open();
  const before = heapUsed();
  for (let number = 0; number < 100_000; number++) {
    clock.now += 10;
    usage.charge({ tenant: `tenant ${number}` }, 0.05);
  }
  expect(heapUsed() - before).toBeLessThan(2 * 1024 * 1024); // 12 if none is
  expect(usage.of({ tenant: 'tenant 99999' })).toBeGreaterThan(0);
});
