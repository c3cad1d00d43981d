// How many rows a page reads: few more than it shows, however large they are, in few statements.
import { expect, test } from 'vitest';
import { MAX_INBOX_BYTES, MAX_PAGE_BYTES } from '../../server/domain/limits.ts';
import { readFirst, readPage } from '../../server/operations/page.ts';

const LARGE = 80_000;
const SMALL = 300;
const FITTING = Math.floor(MAX_PAGE_BYTES / LARGE);

type Item = { seq: number; text: string };

const cursors = { positionOf: ({ seq }: Item) => seq, write: String, read: Number };

function list(length: number, bytes: number) {
  const items = Array.from({ length }, (_, seq): Item => ({ seq, text: 'x'.repeat(bytes) }));
  const counts = { statements: 0, rows: 0 };
  const from = async (place: number, limit: number): Promise<Item[]> => {
    const found = items.slice(place, place + limit);
    counts.statements += 1;
    counts.rows += found.length;
    return found;
  };
  return {
    counts,
    page: (limit: number) =>
      readPage({ networks: [], cursors }, { limit }, ({ beyond = -1, limit: request }) => from(beyond + 1, request)),
    first: (limit: number) => readFirst(limit, MAX_INBOX_BYTES, (request, skipped) => from(skipped, request)),
  };
}

test('a page of large items reads few more than it shows, and reports that there are more', async () => {
  const { counts, page } = list(200, LARGE);
  const { count, next_cursor } = await page(500);
  expect([count, next_cursor]).toEqual([FITTING, String(FITTING - 1)]);
  expect(counts.rows - count).toBeLessThanOrEqual(5);
});

test('an item larger than a page gets a page to itself', async () => {
  const { page, first } = list(3, MAX_PAGE_BYTES + 1);
  expect([await page(10), await first(10)]).toMatchObject([
    { count: 1, next_cursor: '0' },
    { shown: [{ seq: 0 }], isCut: true },
  ]);
});

test('a page of small items is read in few statements', async () => {
  const { counts, page } = list(1_000, SMALL);
  expect((await page(500)).count).toBe(500);
  expect(counts.statements).toBeLessThanOrEqual(26);
});

test('an inbox of large messages is read only as far as it is shown', async () => {
  const { counts, first } = list(100, LARGE);
  const { shown, isCut } = await first(100);
  expect([shown.length, isCut]).toEqual([FITTING, true]);
  expect(counts.rows).toBeLessThanOrEqual(FITTING + 4);
});

test('an inbox is not cut when all of it fits, or when the limit ends it', async () => {
  const whole = await list(60, SMALL).first(100);
  const limited = await list(100, SMALL).first(60);
  expect([whole.shown.length, whole.isCut, limited.shown.length, limited.isCut]).toEqual([60, false, 60, false]);
});
