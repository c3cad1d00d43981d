// Limits on unread response data. A user beyond their share gets no more large responses. Beyond the total, the hub
// closes the response that has waited longest of the user with the most. Uses Node's own responses on sockets that read
// nothing.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TryLater } from '../../../server/domain/errors.ts';
import {
  LARGE_ANSWER_BYTES,
  MAX_BUILT_BYTES,
  MAX_UNREAD_BYTES,
  MAX_UNREAD_BYTES_PER_USER,
  UNREAD_PENALTY_MS,
} from '../../../server/domain/limits.ts';
import { openMetrics } from '../../../server/events/metrics.ts';
import { openResponseMemory } from '../../../server/http/limits/response-memory.ts';

const MIB = 1024 * 1024;
const SHARE = MAX_UNREAD_BYTES_PER_USER / MIB;

function newResponse(): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.assignSocket(new Duplex({ read: () => {}, write: () => {} }) as Socket);
  return response;
}

function open() {
  const metrics = openMetrics();
  const { hold, holdStream, room, build } = openResponseMemory(metrics);
  return {
    metrics,
    room: (userId: string, response = newResponse()) => room(response, userId),
    build: (userId: string, response = newResponse()) => build(response, userId),
    holdStream: (userId: string, waiting = Buffer.alloc(MIB)) => {
      const response = newResponse();
      return { response, release: holdStream(response, userId, waiting) };
    },
    hold: (userId: string | undefined, bytes = MIB): ServerResponse => {
      const response = newResponse();
      hold(response, userId, bytes);
      return response;
    },
  };
}

const closed = async (response: ServerResponse): Promise<void> => {
  response.destroy();
  await expect.poll(() => response.closed).toBe(true);
};

test('a user whose share is unread gets no more large responses, always gets small ones, and gets large ones again after reading', async () => {
  const { hold, metrics } = open();
  const waiting = Array.from({ length: SHARE }, () => hold('a'));
  expect(() => hold('a')).toThrow(TryLater);
  expect(() => hold('a', LARGE_ANSWER_BYTES - 1)).not.toThrow();
  expect(() => hold('b')).not.toThrow();
  expect(metrics.unreadResponses.refused).toBe(1);
  await closed(waiting[0] ?? newResponse());
  expect(() => hold('a')).not.toThrow();
});

test('one response larger than the share is sent when nothing else is unread', () => {
  const { hold } = open();
  expect(() => hold('a', MAX_UNREAD_BYTES_PER_USER + 1)).not.toThrow();
});

test('above the total limit, of users with the same amount, the response that has waited longest is closed', () => {
  const { hold, metrics } = open();
  const all = Array.from({ length: MAX_UNREAD_BYTES / MIB + 2 }, (_, index) =>
    hold(index === 1 ? undefined : `user ${index}`),
  );
  expect(all.map(({ destroyed }) => destroyed)).toEqual(all.map((_, index) => index < 2));
  expect(metrics.unreadResponses.cutOff).toBe(2);
});

test('above the total limit, users with the most unread data lose responses, and one who reads promptly loses none', () => {
  const { hold, metrics } = open();
  const first = hold('prompt');
  const waiting = Array.from({ length: MAX_UNREAD_BYTES / MIB + 8 }, (_, index) => hold(`user ${index % 8}`));
  const second = hold('prompt');
  expect([first, second].map(({ destroyed }) => destroyed)).toEqual([false, false]);
  const left = Map.groupBy(waiting, (_, index) => index % 8);
  for (const ofUser of left.values()) {
    const cut = ofUser.filter(({ destroyed }) => destroyed);
    expect(cut).toEqual(ofUser.slice(0, cut.length)); // the oldest ones
    expect(ofUser.length - cut.length).toBeLessThanOrEqual(MAX_UNREAD_BYTES / MIB / 8);
  }
  expect(metrics.unreadResponses.cutOff).toBe(waiting.filter(({ destroyed }) => destroyed).length);
});

test('above the total limit, what could not be read yet because it waits for its turn is kept', () => {
  const { hold } = open();
  const waiting = Array.from({ length: SHARE - 1 }, () => hold('prompt'));
  const begun = Array.from({ length: MAX_UNREAD_BYTES / MIB }, (_, index) => {
    const response = hold(`user ${index}`);
    response.flushHeaders();
    return response;
  });
  expect(waiting.filter(({ destroyed }) => destroyed)).toEqual([]);
  expect(begun.filter(({ destroyed }) => destroyed)).toHaveLength(SHARE - 1);
});

test('a response whose client has disconnected does not count', async () => {
  const { hold, metrics } = open();
  for (let number = 0; number < 3 * SHARE; number++) await closed(hold('a'));
  expect(metrics.unreadResponses).toEqual({ cutOff: 0, refused: 0 });
});

test("a response being built counts toward the user's unread data until it is sent or dropped", () => {
  const { hold, build } = open();
  const first = build('a');
  expect(first.take(SHARE * MIB)).toBe(undefined);
  expect(build('a').take(MIB)).toBe('user');
  expect(build('a').take(LARGE_ANSWER_BYTES - 1)).toBe(undefined);
  expect(build('b').take(MIB)).toBe(undefined);
  expect(() => hold('a')).toThrow(TryLater);
  first.release();
  first.release();
  const second = build('a');
  expect(second.take(MIB)).toBe(undefined);
  second.handOver(2 * MIB);
  expect(build('a').take((SHARE - 3) * MIB)).toBe(undefined);
  expect(build('a').take(MIB)).toBe('user');
});

test('a reserved response is sent even if it is slightly larger than its parts', () => {
  const { build } = open();
  const [one, two] = [build('a'), build('a')];
  expect([one.take(MIB), two.take((SHARE - 1) * MIB)]).toEqual([undefined, undefined]);
  expect(() => one.handOver(MIB + 50)).not.toThrow();
});

test('beyond the total for responses being built, new ones are rejected and the oldest holder is asked to stop', () => {
  const { build } = open();
  const all = Array.from({ length: MAX_BUILT_BYTES / MIB / 8 }, (_, index) => build(`user ${index}`));
  expect(all.map(({ take }) => take(8 * MIB))).toEqual(all.map(() => undefined));
  expect(build('late').take(MIB)).toBe('hub');
  expect(all.map(({ pressed }) => pressed.aborted)).toEqual(all.map((_, index) => index < all.length / 4));
  all[0]?.release();
  expect(build('late').take(MIB)).toBe(undefined);
});

test('a stream counts until its reader has caught up, and is closed above the share of its user', () => {
  const { hold, holdStream, metrics } = open();
  const streams = Array.from({ length: SHARE + 1 }, () => holdStream('a'));
  expect(streams.map(({ response }) => response.destroyed)).toEqual(streams.map((_, index) => index === SHARE));
  expect(metrics.unreadResponses.cutOff).toBe(1);
  expect(() => hold('a')).toThrow(TryLater);
  expect(holdStream('b').response.destroyed).toBe(false);
  for (const { release } of streams) release();
  expect(() => hold('a')).not.toThrow();
  expect(streams[0]?.response.listenerCount('close')).toBe(newResponse().listenerCount('close'));
});

test('above the total limit, the stream that has been behind longest is closed first', () => {
  const { holdStream } = open();
  const streams = Array.from({ length: MAX_UNREAD_BYTES / MIB + 1 }, (_, index) => holdStream(`user ${index}`));
  expect(streams.map(({ response }) => response.destroyed)).toEqual(streams.map((_, index) => index === 0));
});

test('streams of one user that wait with the same event count once until the last one sends it, and are closed together', () => {
  const { hold, holdStream } = open();
  const event = Buffer.alloc(SHARE * MIB);
  const [first, second] = [holdStream('a', event), holdStream('a', event)];
  first.release();
  expect(() => hold('a')).toThrow(TryLater);
  second.release();
  expect(() => hold('a')).not.toThrow();
  const together = [holdStream('b', event), holdStream('b', event)];
  for (let count = 0; count < MAX_UNREAD_BYTES / MIB; count++) holdStream(`user ${count}`);
  expect(together.map(({ response }) => response.destroyed)).toEqual([true, true]);
});

test('a quarter of the memory allows a quarter of the unread data', () => {
  const { hold } = openResponseMemory(openMetrics(), 0.25);
  for (let count = 0; count < SHARE / 4; count++) hold(newResponse(), 'a', MIB);
  expect(() => hold(newResponse(), 'a', MIB)).toThrow(TryLater);
});

describe('while memory for unread responses is short', () => {
  /** Of eight users, who each hold the same. */
  function openShort() {
    const opened = open();
    const all = Array.from({ length: MAX_UNREAD_BYTES / MIB }, (_, index) => opened.hold(`user ${index % 8}`));
    const ofFirst = all.filter((_, index) => index % 8 === 0);
    return { ...opened, ofFirst };
  }

  test('a user who holds more than an equal share waits until enough is read, others do not', async () => {
    const { room, ofFirst } = openShort();
    const began = vi.fn<() => void>();
    const waiting = room('user 0')?.then(began);
    expect(room('prompt')).toBeUndefined();
    for (const response of ofFirst.slice(0, 3)) await closed(response);
    expect(began).not.toHaveBeenCalled();
    await closed(ofFirst[3] ?? newResponse());
    await waiting;
    expect(room('user 0')).toBeUndefined();
  });

  test('nobody waits any more once others have read enough', async () => {
    const { hold, room } = open();
    const others = Array.from({ length: MAX_UNREAD_BYTES / MIB / 2 }, (_, index) => hold(`user ${index % 8}`));
    for (let count = 0; count < 8; count++) hold('slow');
    const waiting = room('slow');
    expect(waiting).toBeDefined();
    for (const response of others.slice(0, 8)) await closed(response);
    await waiting;
  });

  test('a user whose unread response was closed waits for a while, although it holds little', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { hold, room, ofFirst } = openShort();
    hold('user 8'); // closes the oldest of the first
    expect(ofFirst[0]?.destroyed).toBe(true);
    for (const response of ofFirst) response.destroy();
    await new Promise(setImmediate);
    const waiting = room('user 0');
    expect(waiting).toBeDefined();
    vi.advanceTimersByTime(UNREAD_PENALTY_MS);
    await waiting;
  });

  test('who leaves waits no longer', async () => {
    const { room } = openShort();
    const response = newResponse();
    const waiting = room('user 0', response);
    await closed(response);
    await waiting;
    expect(room('user 0', response)).toBeUndefined();
  });
});
