import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { backoff, type Live, openLive } from '../../../console/live/event-stream.ts';
import type { StreamEvent } from '../../../console/live/sse-parser.ts';

/** Browser globals that Node.js does not have. */
const page = Object.assign(new EventTarget(), { hidden: false });

let live: Live | undefined;
let requests: Headers[];
let received: StreamEvent[];
let opened: boolean[];
let states: string[];
let refused: number;

beforeEach(() => {
  [requests, received, opened, states, refused] = [[], [], [], [], 0];
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
  test('sends its token as a header and forwards events', async () => {
    listenTo([stream('id: e-1\n\nevent: task\ndata: {"a":1}\n\n', 'open')]);
    await vi.waitFor(() => expect(received).toEqual([{ type: 'task', data: '{"a":1}' }]), 20_000);
    expect(requests[0]?.get('authorization')).toBe('Bearer utok_x');
    expect(opened).toEqual([false]);
    expect(states).toEqual(['connecting', 'live']);
  });

  test('resumes after the last event when disconnected', async () => {
    listenTo([stream('retry: 1\nid: e-7\n\ndata: one\n\n'), stream('id: e-8\ndata: two\n\n', 'open')]);
    await vi.waitFor(() => expect(received.map(({ data }) => data)).toEqual(['one', 'two']), 20_000);
    expect(requests.map((headers) => headers.get('last-event-id'))).toEqual([null, 'e-7']);
    expect(opened).toEqual([false, true]);
    expect(states).toEqual(['connecting', 'live', 'reconnecting', 'live']);
  });

  test('retries and reports offline when the hub is unreachable', async () => {
    const none = () => Promise.reject(new TypeError('connection refused'));
    listenTo([stream('retry: 1\n\n'), none, none, none, stream('data: back\n\n', 'open')]);
    await vi.waitFor(() => expect(received).toHaveLength(1), 20_000);
    expect(states).toEqual(['connecting', 'live', 'reconnecting', 'reconnecting', 'offline', 'offline', 'live']);
  });

  test('reports a rejected token immediately', async () => {
    listenTo([() => Promise.resolve(new Response('{}', { status: 401 }))]);
    await vi.waitFor(() => expect(refused).toBe(1), 20_000);
    expect(requests).toHaveLength(1);
  });

  test('emits nothing after it is closed', async () => {
    const late = Promise.withResolvers<void>();
    listenTo([stream('data: one\n\n', late.promise, 'data: two\n\n')]);
    await vi.waitFor(() => expect(received).toHaveLength(1), 20_000);
    live?.close();
    late.resolve();
    await late.promise;
    expect(received).toHaveLength(1);
  });
});

describe('the delay between two attempts', () => {
  test('doubles from the retry value of the hub up to 30 seconds', () => {
    const longest = [1, 2, 3, 4, 5, 20].map((failures) => backoff(failures, 3_000, () => 1));
    expect(longest).toEqual([3_000, 6_000, 12_000, 24_000, 30_000, 30_000]);
  });

  test('is at least half of that, to spare a starting hub', () => {
    expect(backoff(1, 3_000, () => 0)).toBe(1_500);
  });
});

type Reply = () => Promise<Response>;

function listenTo(responses: Reply[]): void {
  vi.stubGlobal('fetch', (_: string, { headers }: RequestInit) => {
    requests.push(new Headers(headers));
    return responses.shift()?.() ?? new Promise(() => {});
  });
  live = openLive({
    path: '/events',
    token: 'utok_x',
    onOpen: (resumed) => void opened.push(resumed),
    onEvent: (event) => void received.push(event),
    onState: ({ state }) => void states.push(state),
    onUnauthorized: () => void (refused += 1),
  });
}

/** Sends each text, awaits each promise, and closes the stream unless the last item is `open`. */
function stream(...parts: (string | Promise<void>)[]): Reply {
  const emit = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (const part of parts) {
      if (typeof part !== 'string') await part;
      else if (part === 'open') return;
      else controller.enqueue(new TextEncoder().encode(part));
    }
    controller.close();
  };
  return () =>
    Promise.resolve(new Response(new ReadableStream({ start: (controller) => void emit(controller).catch(() => {}) })));
}
