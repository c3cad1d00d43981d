// When sweeps run, on a manual clock, and how failures are logged.
import { expect, test, vi } from 'vitest';
import { storageFull } from '../../server/domain/errors.ts';
import { planSweeps, sweepOnce } from '../../server/sweeps/schedule.ts';
import { openTestHub, type TestHub } from '../support/test-hub.ts';

const HOUR = 3_600_000;

/** Two sweeps on a hub, the runs of each, and the seconds of a ticker. */
async function openPlan() {
  const logged: string[] = [];
  const log = {
    isLevelEnabled: () => false,
    debug: () => {},
    info: () => {},
    warn: (_: object, line: string) => void logged.push(line),
    error: () => {},
  };
  const hub = await openTestHub({}, log);
  await vi.waitFor(() => expect(hub.store.isLeader()).toBe(true));
  hub.clock.keepWatch();
  const runs = { second: 0, hour: 0 };
  const count = (name: keyof typeof runs) => async () => ({ rows: ++runs[name] });
  const plan = planSweeps(hub, [
    { name: 'second', every: 1_000, sweep: count('second') },
    { name: 'hour', every: HOUR, sweep: count('hour') },
  ]);
  const tick = async (seconds: number, step = 1_000): Promise<void> => {
    for (let passed = 0; passed < seconds; passed++) {
      hub.clock.advance(step);
      plan.tick();
      await plan.settled();
    }
  };
  return { hub, plan, runs, tick, logged };
}

test("each runs at its interval, even if the ticker's seconds are slightly long or short", async () => {
  const { runs, tick } = await openPlan();
  await tick(1_800, 1_004);
  await tick(1_800, 996);
  expect(runs.hour).toBe(1);
  expect(Math.abs(runs.second - 3_600)).toBeLessThan(16);
});

const asleep: [how: string, sleep: (hub: TestHub, time: number) => void][] = [
  ['whose monotonic clock stops during sleep', (hub, time) => hub.clock.jump(time)],
  ['whose monotonic clock continues', (hub, time) => hub.clock.advance(time)],
];

test.each(asleep.flatMap(([how, sleep]) => [8, 60].map((hours) => [hours, how, sleep] as const)))(
  'after a sleep of %i h of a machine %s, missed runs are made up once, with one log line',
  async (hours, _, sleep) => {
    const { hub, runs, tick, logged } = await openPlan();
    await tick(10);
    sleep(hub, hours * HOUR);
    await tick(1);
    expect(runs).toEqual({ second: 11, hour: 1 });
    await tick(10);
    expect(runs).toEqual({ second: 21, hour: 1 });
    const length = hours === 8 ? '8 h' : '2 d';
    expect(logged).toEqual([`the machine was asleep or its clock was set forward by ${length}`]);
  },
);

test('after a step back of an hour each continues as before', async () => {
  const { hub, runs, tick, logged } = await openPlan();
  await tick(10);
  hub.clock.jump(-HOUR);
  await tick(300);
  expect(runs.second).toBeGreaterThanOrEqual(300);
  expect(logged).toEqual([expect.stringMatching(/^the machine's clock is 1 h behind the newest record/)]);
});

test.each([
  ['in spring', Date.UTC(2027, 2, 28, 0, 30)],
  ['in autumn', Date.UTC(2027, 9, 31, 0, 30)],
])('the DST change %s has no effect', async (_, moment) => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Europe/Berlin';
  try {
    const { hub, runs, tick } = await openPlan();
    hub.clock.set(moment);
    await tick(1);
    const before = { ...runs };
    await tick(3 * 3_600);
    expect(runs).toEqual({ second: before.second + 3 * 3_600, hour: before.hour + 3 });
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('a sweep still running at its next time is not started again', async () => {
  const hub = await openTestHub();
  await expect.poll(() => hub.store.isLeader()).toBe(true); // of several hubs, one runs the sweeps
  const { promise, resolve } = Promise.withResolvers<Record<string, number>>();
  let runs = 0;
  const plan = planSweeps(hub, [
    {
      name: 'slow',
      every: 1_000,
      sweep: () => {
        runs++;
        return promise;
      },
    },
  ]);
  for (let second = 0; second < 5; second++) {
    hub.clock.advance(1_000);
    plan.tick();
  }
  expect(runs).toBe(1);
  resolve({});
  await plan.settled();
  hub.clock.advance(1_000);
  plan.tick();
  expect(runs).toBe(2);
  await plan.settled();
});

test('a sweep that fails every second is logged once per error, and once when it succeeds again', async () => {
  const hub = await openTestHub();
  const lines: string[] = [];
  const log = {
    ...hub.log,
    error: (fields: { err?: unknown }) => void lines.push(String(fields.err)),
    info: (_: object, line: string) => void lines.push(line),
  };
  const reported = new Map<string, string>();
  for (const failure of [
    undefined,
    new Error('one'),
    new Error('one'),
    storageFull(), // logged as a trouble of the hub
    new Error('another'),
    undefined,
    undefined,
    new Error('one'),
  ]) {
    await sweepOnce({ ...hub, log }, reported, 'flush-write-behind', async () => {
      if (failure !== undefined) throw failure;
      return {};
    });
  }
  expect(lines).toEqual(['Error: one', 'Error: another', 'sweep recovered', 'Error: one']);
  await sweepOnce({ ...hub, log }, reported, 'flush-write-behind', async () => undefined); // it had nothing to do
  expect(lines).toHaveLength(4);
});
