import { describe, expect, test } from 'vitest';
import { type Ask, search } from '../../../console/find/search.ts';

type Asked = {
  cursor: string | undefined;
  signal: AbortSignal;
  respond(rows: string[], next?: string): void;
  fail(): void;
};

function opened(known: string[] = [], wanted = 3, countOf?: (rows: readonly string[]) => number) {
  const asked: Asked[] = [];
  const ask: Ask<string> = (cursor, signal) =>
    new Promise((resolve, reject) => {
      asked.push({
        cursor,
        signal,
        respond: (rows, next) => resolve({ rows, next }),
        fail: () => reject(new Error('no')),
      });
    });
  const found = search({ ask, keyOf: (row) => row, known, wanted, ...(countOf && { countOf }) });
  return { asked, found, shown: () => [found.rows.value, found.state.value] };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('a search', () => {
  test('shows what is found while it runs, and runs until enough is found', async () => {
    const { asked, found, shown } = opened();
    const running = found.more();
    asked[0]?.respond([], 'c1');
    await settled();
    expect(shown()).toEqual([[], 'running']);
    asked[1]?.respond(['a'], 'c2');
    await settled();
    expect(shown()).toEqual([['a'], 'running']);
    asked[2]?.respond(['b', 'c'], 'c3');
    await running;
    expect(shown()).toEqual([['a', 'b', 'c'], 'cut']);
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, 'c1', 'c2']);
  });

  test('ends with the list, and finds more from where it stopped', async () => {
    const { asked, found, shown } = opened([], 1);
    const first = found.more();
    asked[0]?.respond(['a'], 'c1');
    await first;
    expect(shown()).toEqual([['a'], 'cut']);
    const second = found.more();
    asked[1]?.respond(['a', 'b']);
    await second;
    expect(shown()).toEqual([['a', 'b'], 'whole']);
  });

  test('counts results, of which one may have several rows', async () => {
    const { asked, found, shown } = opened([], 2, (rows) => new Set(rows.map(([kind]) => kind)).size);
    const running = found.more();
    asked[0]?.respond(['a1', 'a2', 'a3'], 'c1');
    await settled();
    expect(shown()).toEqual([['a1', 'a2', 'a3'], 'running']);
    asked[1]?.respond(['b1'], 'c2');
    await running;
    expect(shown()).toEqual([['a1', 'a2', 'a3', 'b1'], 'cut']);
  });

  test('shows known results at once, and no others once the list has ended', async () => {
    const { asked, found, shown } = opened(['old', 'gone']);
    expect(shown()).toEqual([['old', 'gone'], 'running']);
    const running = found.more();
    asked[0]?.respond(['new'], 'c1');
    await settled();
    expect(shown()).toEqual([['new', 'old', 'gone'], 'running']);
    asked[1]?.respond(['old']);
    await running;
    expect(shown()).toEqual([['new', 'old'], 'whole']);
  });

  test('keeps what was found when a request fails, and continues there', async () => {
    const { asked, found, shown } = opened();
    const running = found.more();
    asked[0]?.respond(['a'], 'c1');
    await settled();
    asked[1]?.fail();
    await running;
    expect(shown()).toEqual([['a'], 'failed']);
    const again = found.more();
    asked[2]?.respond(['b']);
    await again;
    expect([shown(), asked[2]?.cursor]).toEqual([[['a', 'b'], 'whole'], 'c1']);
  });

  test('that was stopped cancels its request and changes nothing else', async () => {
    const { asked, found, shown } = opened();
    const running = found.more();
    found.stop();
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[0]?.respond(['late'], 'c1');
    await running;
    expect([shown(), asked.length]).toEqual([[[], 'running'], 1]);
  });
});
