import { describe, expect, test } from 'vitest';
import { piecesOf, positionsOf, rowsIn } from '../../../console/parts/windowed/window.ts';

describe('the window of a long list', () => {
  const positions = positionsOf([10, 20, 30, 40]);

  test('contains the rows that touch the screen', () => {
    expect(positions).toEqual([0, 10, 30, 60, 100]);
    expect(rowsIn(positions, { from: 0, to: 10 })).toEqual({ from: 0, to: 1 });
    expect(rowsIn(positions, { from: 29, to: 31 })).toEqual({ from: 1, to: 3 });
    expect(rowsIn(positions, { from: -50, to: 500 })).toEqual({ from: 0, to: 4 });
  });

  test('is empty where the list is not on the screen', () => {
    expect(rowsIn(positions, { from: -80, to: -20 })).toEqual({ from: 0, to: 0 });
    expect(rowsIn(positions, { from: 200, to: 300 })).toEqual({ from: 4, to: 4 });
    expect(rowsIn(positionsOf([]), { from: 0, to: 100 })).toEqual({ from: 0, to: 0 });
  });

  test('leaves space for the other rows', () => {
    expect(piecesOf(positions, { from: 1, to: 3 }, undefined)).toEqual([{ height: 10 }, 1, 2, { height: 40 }]);
    expect(piecesOf(positions, { from: 0, to: 0 }, undefined)).toEqual([{ height: 100 }]);
  });

  test('keeps the row with the focus and its neighbors, wherever they are', () => {
    const long = positionsOf(Array.from({ length: 20 }, () => 10));
    expect(piecesOf(long, { from: 10, to: 12 }, 3)).toEqual([
      { height: 20 },
      2,
      3,
      4,
      { height: 50 },
      10,
      11,
      { height: 80 },
    ]);
    expect(piecesOf(long, { from: 10, to: 12 }, 19)).toEqual([{ height: 100 }, 10, 11, { height: 60 }, 18, 19]);
    expect(piecesOf(long, { from: 0, to: 2 }, 1)).toEqual([0, 1, 2, { height: 170 }]);
  });
});
