// The hub's time, whatever happens to the machine's clock.
import { describe, expect, test } from 'vitest';
import { openHubClock } from '../../server/domain/time/clock.ts';
import { manualClock, NOON } from '../support/manual-clock.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const YEAR = 365 * 24 * HOUR;

function open(notBefore?: number) {
  const hand = manualClock();
  const reported: [what: 'jump' | 'ahead' | 'unusable', milliseconds?: number][] = [];
  const clock = openHubClock(hand, {
    notBefore,
    onJump: (by) => void reported.push(['jump', by]),
    onAhead: (by) => void reported.push(['ahead', by]),
    onUnusable: () => void reported.push(['unusable']),
  });
  return { hand, clock, reported };
}

test("follows the machine's clock, including small corrections", () => {
  const { hand, clock, reported } = open();
  for (const correction of [0, 40, 4_000, 5_000]) {
    hand.advance(10 * SECOND);
    hand.jump(correction);
    expect(clock.now()).toBe(hand.wall());
  }
  expect(reported).toEqual([]);
});

test('a jump forward counts as elapsed time, and is reported once', () => {
  const { hand, clock, reported } = open();
  hand.advance(10 * SECOND);
  hand.jump(8 * HOUR);
  expect(clock.now()).toBe(NOON + 10 * SECOND + 8 * HOUR);
  hand.advance(SECOND);
  expect([clock.now(), clock.ahead()]).toEqual([hand.wall(), 0]);
  expect(reported).toEqual([['jump', 8 * HOUR + 10 * SECOND]]);
});

test('where the monotonic clock runs during sleep, the gap between readings reveals the sleep', () => {
  const { hand, clock, reported } = open();
  hand.advance(HOUR);
  clock.keepWatch();
  hand.advance(59 * SECOND);
  clock.now();
  expect(reported).toEqual([]);
  hand.advance(8 * HOUR);
  clock.now();
  expect(reported).toEqual([['jump', 8 * HOUR]]);
});

test('a clock after the year 9000 is ignored, reported once, and followed again once it is correct', () => {
  const { hand, clock, reported } = open();
  hand.jump(7_500 * YEAR);
  for (let second = 0; second < 10; second++) {
    hand.advance(SECOND);
    clock.now();
  }
  expect(clock.now()).toBe(NOON + 9_900);
  expect(reported).toEqual([['unusable']]);
  hand.jump(-7_500 * YEAR);
  hand.advance(SECOND);
  expect([clock.now(), clock.ahead()]).toEqual([NOON + 11 * SECOND, 0]);
  hand.jump(7_500 * YEAR);
  clock.now();
  expect(reported).toEqual([['unusable'], ['unusable']]);
});

describe('set back', () => {
  test('it continues at almost the speed of the monotonic clock, is reported once, and follows again when the two meet', () => {
    const { hand, clock, reported } = open();
    hand.jump(-60 * SECOND);
    const moments = Array.from({ length: 7_000 }, () => {
      hand.advance(SECOND);
      return clock.now();
    });
    expect(moments[99]).toBe(NOON + 99 * SECOND);
    expect(moments.every((moment, index) => moment > (moments[index - 1] ?? NOON))).toBe(true);
    expect([clock.now(), clock.ahead()]).toEqual([hand.wall(), 0]);
    expect(reported).toEqual([['ahead', 59_990]]);
    hand.jump(-30 * SECOND);
    clock.now();
    expect(reported).toHaveLength(2);
  });

  test('by less than five seconds it is not reported', () => {
    const { hand, clock, reported } = open();
    hand.jump(-4_900);
    expect([clock.now(), clock.ahead()]).toEqual([NOON, 4_900]);
    expect(reported).toEqual([]);
  });

  test('after a mistaken jump of a year, time neither goes back nor stops', () => {
    const { hand, clock, reported } = open();
    hand.jump(YEAR);
    const ahead = clock.now();
    hand.jump(-YEAR);
    expect(clock.now()).toBe(ahead);
    hand.advance(HOUR);
    expect(clock.now()).toBe(ahead + 0.99 * HOUR);
    expect(reported.map(([what]) => what)).toEqual(['jump', 'ahead']);
  });
});

test('it starts at the newest stored time, and reports when that is in the future', () => {
  const behind = open(NOON - HOUR);
  expect([behind.clock.now(), behind.reported]).toEqual([NOON, []]);
  const { hand, clock, reported } = open(NOON + HOUR);
  expect(clock.now()).toBe(NOON + HOUR);
  hand.advance(100 * SECOND);
  expect(clock.now()).toBe(NOON + HOUR + 99 * SECOND);
  expect(reported).toEqual([['ahead', HOUR]]);
});
