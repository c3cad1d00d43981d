import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type StreamEvent, streamParser } from '../../../console/live/sse-parser.ts';

function read(...chunks: string[]) {
  const events: StreamEvent[] = [];
  const retries: number[] = [];
  const parser = streamParser({
    onEvent: (event) => events.push(event),
    onRetry: (milliseconds) => retries.push(milliseconds),
  });
  chunks.forEach(parser.feed);
  return { events, retries, lastEventId: parser.lastEventId() };
}

const HUB_OPENS =
  'retry: 3000\n\nevent: heartbeat\ndata: {"time":"x"}\n\nid: e-7\n\nid: e-8\nevent: task\ndata: {"task_id":"t"}\n\n';

describe('an event stream', () => {
  test('is parsed from the start of the response', () => {
    expect(read(HUB_OPENS)).toEqual({
      events: [
        { type: 'heartbeat', data: '{"time":"x"}' },
        { type: 'task', data: '{"task_id":"t"}' },
      ],
      retries: [3000],
      lastEventId: 'e-8',
    });
  });

  test.each([
    ['line feeds', 'data: a\n\ndata: b\n\n'],
    ['carriage returns', 'data: a\r\rdata: b\r\r'],
    ['both', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['a mixture', 'data: a\r\n\ndata: b\n\r\n'],
  ])('ends its lines with %s', (_, text) => {
    expect(read(text).events.map(({ data }) => data)).toEqual(['a', 'b']);
  });

  test('is parsed the same for every chunk size', () => {
    const text = `${HUB_OPENS}: a comment\r\nid: 9\revent: broadcast\r\ndata: 你好\ndata: 🙂\r\n\r\n`;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const edges = [0, ...cuts.toSorted((one, other) => one - other), text.length];
        const chunks = edges.slice(1).map((end, index) => text.slice(edges[index], end));
        expect(read(...chunks)).toEqual(read(text));
      }),
    );
  });

  test('joins data lines and strips one leading space from each', () => {
    expect(read('data: one\ndata:two\ndata:  three\n\n').events).toEqual([
      { type: 'message', data: 'one\ntwo\n three' },
    ]);
  });

  test('ignores comments, unknown fields and names of inherited properties', () => {
    expect(read(': ping\nconstructor: x\ntoString\nother: y\ndata: z\n\n').events).toEqual([
      { type: 'message', data: 'z' },
    ]);
  });

  test('emits nothing for a block without data but keeps its id', () => {
    expect(read('event: task\nid: e-3\n\ndata: x\n\n')).toMatchObject({
      events: [{ type: 'message', data: 'x' }],
      lastEventId: 'e-3',
    });
  });

  test('emits no block before its blank line', () => {
    expect(read('id: e-4\ndata: half')).toMatchObject({ events: [], lastEventId: '' });
  });

  test('ignores an id with U+0000 and a retry that is not a number', () => {
    expect(read('id: e-1\n\nid: bad\0\nretry: soon\ndata: x\n\n')).toMatchObject({ retries: [], lastEventId: 'e-1' });
  });
});
