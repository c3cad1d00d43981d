import { describe, expect, test } from 'vitest';
import { loadPages, matchesWords, tailAfter } from '../../../console/live/listing.ts';
import { codeIn } from '../../../console/networks/network-forms.tsx';
import { wholeNumberIn } from '../../../console/parts/lengths.ts';

const own = (row: string) => row;

describe('the rows of later pages', () => {
  test('stay after a reloaded first page', () => {
    expect(tailAfter(['c', 'b', 'a'], { rows: ['d', 'c'], next: '3' }, own)).toEqual(['b', 'a']);
  });

  test('are dropped when the first page is complete or does not overlap', () => {
    expect(tailAfter(['c', 'b', 'a'], { rows: ['d', 'c'], next: undefined }, own)).toEqual([]);
    expect(tailAfter(['c', 'b'], { rows: ['z', 'y'], next: '9' }, own)).toEqual([]);
  });
});

test('a complete list is loaded page by page', async () => {
  const pages = [
    { rows: ['a', 'b'], next: '2' },
    { rows: ['c'], next: undefined },
  ];
  const requested: (string | undefined)[] = [];
  const whole = await loadPages(undefined, async ({ cursor }) => {
    requested.push(cursor);
    return pages[requested.length - 1] ?? { rows: [], next: undefined };
  });
  expect([whole.rows, requested]).toEqual([
    ['a', 'b', 'c'],
    [undefined, '2'],
  ]);
});

test('a long list is loaded up to a limit and continues from there', async () => {
  const requested: (string | undefined)[] = [];
  const some = await loadPages('5', async ({ cursor }) => {
    requested.push(cursor);
    return { rows: [cursor], next: String(Number(cursor) + 1) };
  });
  expect(some).toEqual({ rows: ['5', '6', '7', '8'], next: '9' });
  expect(requested).toEqual(['5', '6', '7', '8']);
});

test('every search word must match', () => {
  expect(matchesWords('ADA love', ['ada', 'Lovelace'])).toBe(true);
  expect(matchesWords('ada grace', ['ada', null])).toBe(false);
  expect(matchesWords(undefined, [])).toBe(true);
});

test.each([
  ['1', 1],
  [' 7 ', 7],
  ['0', undefined],
  ['11', undefined],
  ['2.5', undefined],
  ['', undefined],
  ['x', undefined],
])('of what is typed, %j is %j', (typed, value) => {
  expect(wholeNumberIn(typed, 1, 10)).toBe(value);
});

const CODE = `inv_${'aB3'.repeat(8)}`;

test.each([
  [CODE, CODE],
  [` ${CODE}\n`, CODE],
  [`https://hub.example/#join=${CODE}`, CODE],
  [`Join us: https://hub.example/#join=${CODE} today`, CODE],
  [CODE.slice(0, -1), undefined],
  [`${CODE}x`, undefined],
  ['', undefined],
])('in %j the invite code is %j', (pasted, code) => {
  expect(codeIn(pasted)).toBe(code);
});
