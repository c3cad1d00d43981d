// The database time that tenants and users have used while somebody waited, and its memory.
import { expect, test } from 'vitest';
import { openUsage } from '../../../server/store/engine/usage.ts';
import { heapUsed } from '../../support/garbage.ts';

function open() {
  const clock = { now: 0 };
  const usage = openUsage(() => clock.now);
  usage.begin(Infinity, 0); // the shared clock stands still
  return { clock, usage };
}

test('the time of a tenant is summed until nobody waits', () => {
  const { usage } = open();
  usage.charge({ tenant: 'a' }, 6);
  usage.charge({ tenant: 'a' }, 2);
  expect(usage.tagOf({ tenant: 'a' })).toBe(8);
  usage.restart();
  expect(usage.tagOf({ tenant: 'a' })).toBe(usage.tagOf({ tenant: 'b' }));
  expect(usage.costOf('a')).toBeGreaterThan(1);
});

test('a tenant that comes later starts at the shared clock, which advances by the part of each', () => {
  const { usage } = open();
  usage.begin(2, 0);
  for (let call = 0; call < 3; call++) usage.charge({ tenant: 'a' }, 10);
  expect(usage.clock()).toBe(15);
  expect(usage.tagOf({ tenant: 'b' })).toBe(15);
  expect(usage.tagOf({ tenant: 'a' })).toBeGreaterThanOrEqual(30);
  usage.begin(1, usage.tagOf({ tenant: 'a' }));
  expect(usage.tagOf({ tenant: 'b' })).toBe(usage.tagOf({ tenant: 'a' }));
});

test('the time of a user covers all tenants, and the time of a tenant all users', () => {
  const { usage } = open();
  usage.charge({ tenant: 'a', user: 'ada' }, 1);
  expect(usage.tagOf({ tenant: 'c', user: 'ada' })).toBe(1);
  expect(usage.tagOf({ tenant: 'a', user: 'bob' })).toBe(1);
  expect(usage.tagOf({ tenant: 'c', user: 'bob' })).toBe(0);
  usage.charge({ tenant: 'b', user: 'ada' }, 2);
  expect(usage.tagOf({ tenant: 'c', user: 'ada' })).toBe(3);
});

test('a call across all networks of a user, whose tenant is the user, counts once', () => {
  const { usage } = open();
  usage.charge({ tenant: 'ada', user: 'ada' }, 4);
  expect(usage.tagOf({ tenant: 'ada', user: 'ada' })).toBe(4);
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
  expect(slice.isOverAfter([{ tenant: 'a' }])).toBe(false);
  clock.now = 6;
  expect(slice.isOverAfter([{ tenant: 'b' }])).toBe(true);
  clock.now = 9;
  slice.divideAmong([{ tenant: 'c' }, { tenant: 'd' }, { tenant: 'd' }]);
  expect(['a', 'b', 'c', 'd'].map((tenant) => usage.tagOf({ tenant }))).toEqual([2, 4, 1, 2]);
});

test('what a call costs later is charged too, and ends the slice', () => {
  const { usage } = open();
  const slice = usage.openSlice(5);
  expect(slice.isOverAfter([{ tenant: 'a' }], 4)).toBe(false);
  expect(slice.isOverAfter([{ tenant: 'b' }], 2)).toBe(true);
  expect(['a', 'b'].map((tenant) => usage.tagOf({ tenant }))).toEqual([4, 2]);
});

test('a hundred thousand tenants take little memory', () => {
  const { usage } = open();
  const before = heapUsed();
  for (let number = 0; number < 100_000; number++) {
    usage.charge({ tenant: `tenant ${number}` }, 0.05);
  }
  expect(heapUsed() - before).toBeLessThan(2 * 1024 * 1024); // 12 if none is
});
