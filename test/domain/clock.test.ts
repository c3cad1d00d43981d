// The time of a hub, whatever is done to the clock of the machine.
import { describe, expect, test } from 'vitest';
import { openHubClock } from '../../server/domain/time/clock.ts';
import { handClock, NOON } from '../support/hand-clock.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const YEAR = 365 * 24 * HOUR;

function open(notBefore?: number) {
  const hand = handClock();
  const said: [what: 'jump' | 'ahead' | 'unusable', milliseconds?: number][] = [];
  const clock = openHubClock(hand, {
    notBefore,
    onJump: (by) => void said.push(['jump', by]),
    onAhead: (by) => void said.push(['ahead', by]),
    onUnusable: () => void said.push(['unusable']),
  });
  return { hand, clock, said };
}

test('follows the clock of the machine, small corrections included', () => {
  const { hand, clock, said } = open();
  for (const correction of [0, 40, 4_000, 5_000]) {
    hand.advance(10 * SECOND);
    hand.jump(correction);
    expect(clock.now()).toBe(hand.wall());
  }
  expect(said).toEqual([]);
});

test('a jump forward is time that has passed, and is told once', () => {
  const { hand, clock, said } = open();
  hand.advance(10 * SECOND);
  hand.jump(8 * HOUR);
  expect(clock.now()).toBe(NOON + 10 * SECOND + 8 * HOUR);
  hand.advance(SECOND);
  expect([clock.now(), clock.ahead()]).toEqual([hand.wall(), 0]);
  expect(said).toEqual([['jump', 8 * HOUR + 10 * SECOND]]);
});

test('where the monotonic clock goes on in a sleep, the time nobody asked for the time tells of it', () => {
  const { hand, clock, said } = open();
  hand.advance(HOUR);
  clock.keepWatch();
  hand.advance(59 * SECOND);
  clock.now();
  expect(said).toEqual([]);
  hand.advance(8 * HOUR);
  clock.now();
  expect(said).toEqual([['jump', 8 * HOUR]]);
});

test('a clock after the year 9000 is not followed, which is told once, and is followed again when it is right', () => {
  const { hand, clock, said } = open();
  hand.jump(7_500 * YEAR);
  for (let second = 0; second < 10; second++) hand.advance(SECOND), clock.now();
  expect(clock.now()).toBe(NOON + 9_900);
  expect(said).toEqual([['unusable']]);
  hand.jump(-7_500 * YEAR);
  hand.advance(SECOND);
  expect([clock.now(), clock.ahead()]).toEqual([NOON + 11 * SECOND, 0]);
  hand.jump(7_500 * YEAR);
  clock.now();
  expect(said).toEqual([['unusable'], ['unusable']]);
});

describe('set back', () => {
  test('it goes on at almost the pace of the monotonic clock, is told once, and follows again where the two meet', () => {
    const { hand, clock, said } = open();
    hand.jump(-60 * SECOND);
    const moments = Array.from({ length: 7_000 }, () => (hand.advance(SECOND), clock.now()));
    expect(moments[99]).toBe(NOON + 99 * SECOND);
    expect(moments.every((moment, index) => moment > (moments[index - 1] ?? NOON))).toBe(true);
    expect([clock.now(), clock.ahead()]).toEqual([hand.wall(), 0]);
    expect(said).toEqual([['ahead', 59_990]]);
    hand.jump(-30 * SECOND);
    clock.now();
    expect(said).toHaveLength(2);
  });

  test('by less than five seconds it is told to nobody', () => {
    const { hand, clock, said } = open();
    hand.jump(-4_900);
    expect([clock.now(), clock.ahead()]).toEqual([NOON, 4_900]);
    expect(said).toEqual([]);
  });

  test('after a jump of a year by mistake, time neither goes back nor stands still', () => {
    const { hand, clock, said } = open();
    hand.jump(YEAR);
    const ahead = clock.now();
    hand.jump(-YEAR);
    expect(clock.now()).toBe(ahead);
    hand.advance(HOUR);
    expect(clock.now()).toBe(ahead + 0.99 * HOUR);
    expect(said.map(([what]) => what)).toEqual(['jump', 'ahead']);
  });
});

test('it begins at the newest moment there is, and says so where that is still to come', () => {
  const behind = open(NOON - HOUR);
  expect([behind.clock.now(), behind.said]).toEqual([NOON, []]);
  const { hand, clock, said } = open(NOON + HOUR);
  expect(clock.now()).toBe(NOON + HOUR);
  hand.advance(100 * SECOND);
  expect(clock.now()).toBe(NOON + HOUR + 99 * SECOND);
  expect(said).toEqual([['ahead', HOUR]]);
});
