import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { backoff, type Live, openLive } from '../../../console/live/event-stream.ts';
import type { StreamEvent } from '../../../console/live/sse-parser.ts';

/** What the page of a browser gives that Node does not. */
const page = Object.assign(new EventTarget(), { hidden: false });

let live: Live | undefined;
let asked: Headers[];
let heard: StreamEvent[];
let opened: boolean[];
let states: string[];
let refused: number;

beforeEach(() => {
  [asked, heard, opened, states, refused] = [[], [], [], [], 0];
  vi.stubGlobal('document', page);
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('removeEventListener', () => {});
  vi.stubGlobal('navigator', { onLine: true });
});

afterEach(() => {
  live?.close();
  vi.unstubAllGlobals();
});

describe('the live stream', () => {
  test('asks with its token as a header, and hands on what it hears', async () => {
    listenTo([stream('id: e-1\n\nevent: task\ndata: {"a":1}\n\n', 'open')]);
    await vi.waitFor(() => expect(heard).toEqual([{ type: 'task', data: '{"a":1}' }]));
    expect(asked[0]?.get('authorization')).toBe('Bearer utok_x');
    expect(opened).toEqual([false]);
    expect(states).toEqual(['connecting', 'live']);
  });

  test('cut off, goes on from the last event it saw', async () => {
    listenTo([stream('retry: 1\nid: e-7\n\ndata: one\n\n'), stream('id: e-8\ndata: two\n\n', 'open')]);
    await vi.waitFor(() => expect(heard.map(({ data }) => data)).toEqual(['one', 'two']));
    expect(asked.map((headers) => headers.get('last-event-id'))).toEqual([null, 'e-7']);
    expect(opened).toEqual([false, true]);
    expect(states).toEqual(['connecting', 'live', 'reconnecting', 'live']);
  });

  test('without a hub keeps trying, and owns up to being offline', async () => {
    const none = () => Promise.reject(new TypeError('connection refused'));
    listenTo([stream('retry: 1\n\n'), none, none, none, stream('data: back\n\n', 'open')]);
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    expect(states).toEqual(['connecting', 'live', 'reconnecting', 'reconnecting', 'offline', 'offline', 'live']);
  });

  test('refused its token, says so at once', async () => {
    listenTo([() => Promise.resolve(new Response('{}', { status: 401 }))]);
    await vi.waitFor(() => expect(refused).toBe(1));
    expect(asked).toHaveLength(1);
  });

  test('closed, is heard no more', async () => {
    const late = Promise.withResolvers<void>();
    listenTo([stream('data: one\n\n', late.promise, 'data: two\n\n')]);
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    live?.close();
    late.resolve();
    await late.promise;
    expect(heard).toHaveLength(1);
  });
});

describe('the wait between two tries', () => {
  test('doubles from what the hub asked for, up to half a minute', () => {
    const longest = [1, 2, 3, 4, 5, 20].map((failures) => backoff(failures, 3_000, () => 1));
    expect(longest).toEqual([3_000, 6_000, 12_000, 24_000, 30_000, 30_000]);
  });

  test('is never less than half of that, so that nobody hammers a hub that starts', () => {
    expect(backoff(1, 3_000, () => 0)).toBe(1_500);
  });
});

type Answer = () => Promise<Response>;

function listenTo(answers: Answer[]): void {
  vi.stubGlobal('fetch', (_: string, { headers }: RequestInit) => {
    asked.push(new Headers(headers));
    return answers.shift()?.() ?? new Promise(() => {});
  });
  live = openLive({
    path: '/events',
    token: 'utok_x',
    onOpen: (resumed) => void opened.push(resumed),
    onEvent: (event) => void heard.push(event),
    onState: ({ state }) => void states.push(state),
    onUnauthorized: () => void (refused += 1),
  });
}

/** Says each text in turn, waits where a promise stands, and ends, unless the last word is `open`. */
function stream(...parts: (string | Promise<void>)[]): Answer {
  const say = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (const part of parts) {
      if (typeof part !== 'string') await part;
      else if (part === 'open') return;
      else controller.enqueue(new TextEncoder().encode(part));
    }
    controller.close();
  };
  return () =>
    Promise.resolve(new Response(new ReadableStream({ start: (controller) => void say(controller).catch(() => {}) })));
}
