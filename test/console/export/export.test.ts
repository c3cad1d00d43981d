import { describe, expect, test } from 'vitest';
import { csvLine } from '../../../console/export/csv.ts';
import { type ExportList, exportList, fileName, pagesOf } from '../../../console/export/export-list.ts';
import type { MessageRecord } from '../../../console/live/api.ts';
import { RequestError } from '../../../console/live/request.ts';
import { newestFirst } from '../../../console/messages/export-messages.ts';

describe('a line of CSV', () => {
  test.each([
    [['plain', 7, null, undefined, true], 'plain,7,,,true'],
    [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"'],
    [['=1+1', '+x', '-x', '@x', '\tx', '＝1'], "'=1+1,'+x,'-x,'@x,'\tx,'＝1"],
    [['=cmd|"/C calc"!A0'], '"\'=cmd|""/C calc""!A0"'],
    [[-5, 'a=b', ['x', 'y'], { a: 1 }], '-5,a=b,"[""x"",""y""]","{""a"":1}"'],
  ])('%j', (values, line) => expect(csvLine(values)).toBe(`${line}\r\n`));
});

const list = (pages: readonly (readonly object[])[]): ExportList => ({
  name: 'tasks',
  of: 'Ünï / net',
  columns: ['id', 'text'],
  async *pages() {
    yield* pages;
  },
});

describe('an export', () => {
  const PAGES = [[{ id: 1, text: '猫' }], [], [{ id: 2, text: 'x', more: true }, { id: 3 }]];

  test('joins all pages in CSV, with a byte order mark and the columns', async () => {
    const seen: number[] = [];
    const signal = new AbortController().signal;
    const { rows, content, name } = await exportList(list(PAGES), 'csv', signal, (n) => seen.push(n));
    expect([rows, seen]).toEqual([3, [1, 1, 3]]);
    expect([...new Uint8Array(await content.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(await content.text()).toBe('id,text\r\n1,猫\r\n2,x\r\n3,\r\n');
    expect(name).toMatch(/^agenthub-Ünï-net-tasks-\d{4}-\d\d-\d\d\.csv$/);
  });

  test('is valid JSON with all fields, also without rows', async () => {
    const json = async (pages: typeof PAGES) =>
      JSON.parse(await (await exportList(list(pages), 'json', new AbortController().signal, () => {})).content.text());
    expect(await json(PAGES)).toEqual(PAGES.flat());
    expect(await json([[], PAGES[0] ?? []])).toEqual(PAGES[0]);
    expect(await json([])).toEqual([]);
  });

  test('ends at the page at which it is cancelled', async () => {
    const stopping = new AbortController();
    const seen: number[] = [];
    const exported = exportList(list(PAGES), 'csv', stopping.signal, (n) => {
      seen.push(n);
      stopping.abort();
    });
    await expect(exported).rejects.toThrow('abort');
    expect(seen).toEqual([1]);
  });

  test('waits as long as the hub says when it is rate limited, and fails with any other error', async () => {
    const signal = new AbortController().signal;
    const errors = [new RequestError(429, 'rate_limited', 'slow down', 0)];
    const pages = pagesOf(signal, async (cursor) => {
      const error = errors.pop();
      if (error !== undefined) throw error;
      return { rows: [cursor], next: cursor === undefined ? 'c1' : undefined };
    });
    expect(await Array.fromAsync(pages)).toEqual([[undefined], ['c1']]);
    const failing = pagesOf(signal, () => Promise.reject(new RequestError(500, 'internal', 'no')));
    await expect(Array.fromAsync(failing)).rejects.toThrow('no');
  });

  test('of a network without a name has no empty part in its file name', () => {
    expect(fileName({ of: '//', name: 'tasks' }, 'json')).toMatch(/^agenthub-tasks-[\d-]+\.json$/);
  });
});

describe('the messages of both sides of a conversation', () => {
  const message = (at: number, side: string) => ({
    id: at === 5 ? 'to myself' : `${side}${at}`,
    created_at: `2026-01-01 00:00:${10 + at}`,
  });
  // Only id and time are read.
  const pages = async function* (side: string, ...times: number[][]): AsyncGenerator<MessageRecord[]> {
    for (const page of times) yield page.map((at) => message(at, side)) as MessageRecord[];
  };

  test('come newest first, each once, whatever page they are on', async () => {
    const sides = [pages('a', [9, 7], [5, 1]), pages('b', [8, 6, 5], [4], [], [2])];
    const found = (await Array.fromAsync(newestFirst(sides))).flat().map(({ id }) => id);
    expect(found).toEqual(['a9', 'b8', 'a7', 'b6', 'to myself', 'b4', 'b2', 'a1']);
  });
});
