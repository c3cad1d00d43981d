// Portions of long work are limited by time: slow rows make them small, fast rows make them large.
import { describe, expect, test } from 'vitest';
import { openPortions, openSize } from '../../server/operations/portion-size.ts';
import { manualClock } from '../support/manual-clock.ts';

const LIMITS = { first: 4, min: 1, max: 64, wantedMs: 2 };

/** Runs steps in which each row takes this long. Returns the number of rows of each step. */
async function stepsOf(rowMs: readonly number[]): Promise<number[]> {
  const clock = manualClock();
  const size = openSize(LIMITS, clock.monotonic);
  const sizes: number[] = [];
  for (const took of rowMs)
    await size.step(async (rows) => {
      sizes.push(rows);
      clock.advance(rows * took);
    });
  return sizes;
}

describe('the number of rows of a step', () => {
  test('doubles after fast steps, up to the maximum', async () => {
    expect(await stepsOf(Array(6).fill(0.001))).toEqual([4, 8, 16, 32, 64, 64]);
  });

  test('shrinks in proportion after a slow step, down to the minimum', async () => {
    expect(await stepsOf([1, 1, 100, 100])).toEqual([4, 2, 2, 1]);
  });

  test('grows again once rows are fast', async () => {
    expect(await stepsOf([100, 0.1, 0.1, 0.1])).toEqual([4, 1, 2, 4]);
  });
});

/** Handles `total` rows, each of which takes this long. Returns the rows and the duration of each portion. */
async function portionsOf(total: number, rowMs: (row: number) => number): Promise<{ rows: number; took: number }[]> {
  const clock = manualClock();
  const portions = openPortions(clock.monotonic);
  const seen: { rows: number; took: number }[] = [];
  for (let place: number | undefined = 0; place !== undefined; ) {
    const [from, start]: [number, number] = [place, clock.monotonic()];
    let end = from;
    place = await portions.run(from, async (row, rows) => {
      end = Math.min(total, row + rows);
      for (let each = row; each < end; each++) clock.advance(rowMs(each));
      return end < total ? end : undefined;
    });
    seen.push({ rows: end - from, took: clock.monotonic() - start });
  }
  return seen;
}

describe('a portion', () => {
  test('has many fast rows', async () => {
    const [first, ...others] = await portionsOf(1_000, () => 0.01);
    expect(first?.rows).toBeGreaterThan(250);
    expect(others.length).toBeLessThan(4);
  });

  test('has few slow rows, but at least one', async () => {
    expect(await portionsOf(3, () => 100)).toEqual([
      { rows: 3, took: 300 }, // the first step, before anything is measured
    ]);
    const portions = await portionsOf(20, () => 100);
    expect(portions.map(({ rows }) => rows)).toEqual([4, ...Array(16).fill(1)]);
  });

  test('takes at most 3 ms and one step of a few rows, even where slow rows follow fast ones', async () => {
    const portions = await portionsOf(2_000, (row) => (row % 300 < 200 ? 0.001 : 0.5));
    expect(Math.max(...portions.map(({ took }) => took))).toBeLessThan(3 + 8 * 0.5);
    expect(portions.reduce((sum, { rows }) => sum + rows, 0)).toBe(2_000);
  });

  test('has at most the given number of rows', async () => {
    const steps: number[] = [];
    await openPortions(manualClock().monotonic).run(
      true,
      async (_, rows) => {
        steps.push(rows);
        return true;
      },
      25,
    );
    expect(steps).toEqual([4, 8, 8, 5]);
  });
});
