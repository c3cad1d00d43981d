// How much may wait to be read: of one user, beyond which their large answers are refused, and of the hub, beyond which
// the answer that has waited longest is cut off. On Node's own responses, before sockets that take nothing.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { TryLater } from '../../../server/domain/errors.ts';
import {
  LARGE_ANSWER_BYTES,
  MAX_BUILT_BYTES,
  MAX_UNSENT_BYTES,
  MAX_UNSENT_BYTES_PER_USER,
} from '../../../server/domain/limits.ts';
import { openMetrics } from '../../../server/events/metrics.ts';
import { openResponseMemory } from '../../../server/http/limits/response-memory.ts';

const MIB = 1024 * 1024;
const SHARE = MAX_UNSENT_BYTES_PER_USER / MIB;

function newResponse(): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.assignSocket(new Duplex({ read: () => {}, write: () => {} }) as Socket);
  return response;
}

function open() {
  const metrics = openMetrics();
  const { hold, holdStream, build } = openResponseMemory(metrics);
  return {
    metrics,
    build,
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

test('a user whose share waits to be read gets no more large answers, small ones always, and large ones once it has read', async () => {
  const { hold, metrics } = open();
  const waiting = Array.from({ length: SHARE }, () => hold('a'));
  expect(() => hold('a')).toThrow(TryLater);
  expect(() => hold('a', LARGE_ANSWER_BYTES - 1)).not.toThrow();
  expect(() => hold('b')).not.toThrow();
  expect(metrics.unsent.refused).toBe(1);
  await closed(waiting[0] ?? newResponse());
  expect(() => hold('a')).not.toThrow();
});

test('one answer that is larger than the share goes out where nothing else waits', () => {
  const { hold } = open();
  expect(() => hold('a', MAX_UNSENT_BYTES_PER_USER + 1)).not.toThrow();
});

test('above what the hub may hold, the answer that has waited longest is cut off, whoever it is for', () => {
  const { hold, metrics } = open();
  const all = Array.from({ length: MAX_UNSENT_BYTES / MIB + 2 }, (_, index) =>
    hold(index === 1 ? undefined : `user ${index}`),
  );
  expect(all.map(({ destroyed }) => destroyed)).toEqual(all.map((_, index) => index < 2));
  expect(metrics.unsent.cutOff).toBe(2);
});

test('an answer whose client is gone is not counted', async () => {
  const { hold, metrics } = open();
  for (let number = 0; number < 3 * SHARE; number++) await closed(hold('a'));
  expect(metrics.unsent).toEqual({ cutOff: 0, refused: 0 });
});

test('what is being built for a user counts with what the user has not read, until it is handed over or given up', () => {
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
  second.handOver(newResponse(), 2 * MIB);
  expect(build('a').take((SHARE - 3) * MIB)).toBe(undefined);
  expect(build('a').take(MIB)).toBe('user');
});

test('what was taken is sent, though the answer is a little larger than its parts', () => {
  const { build } = open();
  const [one, two] = [build('a'), build('a')];
  expect([one.take(MIB), two.take((SHARE - 1) * MIB)]).toEqual([undefined, undefined]);
  expect(() => one.handOver(newResponse(), MIB + 50)).not.toThrow();
});

test('beyond what the hub may build, answers are refused, and whoever has held some for longest is to end', () => {
  const { build } = open();
  const all = Array.from({ length: MAX_BUILT_BYTES / MIB / 8 }, (_, index) => build(`user ${index}`));
  expect(all.map(({ take }) => take(8 * MIB))).toEqual(all.map(() => undefined));
  expect(build('late').take(MIB)).toBe('hub');
  expect(all.map(({ pressed }) => pressed.aborted)).toEqual(all.map((_, index) => index < all.length / 4));
  all[0]?.release();
  expect(build('late').take(MIB)).toBe(undefined);
});

test('a stream that is behind counts until its reader has caught up; above the share of its user it is cut off', () => {
  const { hold, holdStream, metrics } = open();
  const streams = Array.from({ length: SHARE + 1 }, () => holdStream('a'));
  expect(streams.map(({ response }) => response.destroyed)).toEqual(streams.map((_, index) => index === SHARE));
  expect(metrics.unsent.cutOff).toBe(1);
  expect(() => hold('a')).toThrow(TryLater);
  expect(holdStream('b').response.destroyed).toBe(false);
  for (const { release } of streams) release();
  expect(() => hold('a')).not.toThrow();
  expect(streams[0]?.response.listenerCount('close')).toBe(newResponse().listenerCount('close'));
});

test('above what the hub may hold, the stream that has been behind for longest is cut off first', () => {
  const { holdStream } = open();
  const streams = Array.from({ length: MAX_UNSENT_BYTES / MIB + 1 }, (_, index) => holdStream(`user ${index}`));
  expect(streams.map(({ response }) => response.destroyed)).toEqual(streams.map((_, index) => index === 0));
});

test('streams of one user that wait with the same event count once, until the last of them has taken it, and are cut off together', () => {
  const { hold, holdStream } = open();
  const event = Buffer.alloc(SHARE * MIB);
  const [first, second] = [holdStream('a', event), holdStream('a', event)];
  first.release();
  expect(() => hold('a')).toThrow(TryLater);
  second.release();
  expect(() => hold('a')).not.toThrow();
  const together = [holdStream('b', event), holdStream('b', event)];
  for (let count = 0; count < MAX_UNSENT_BYTES / MIB; count++) holdStream(`user ${count}`);
  expect(together.map(({ response }) => response.destroyed)).toEqual([true, true]);
});

test('with a quarter of the memory a quarter may wait', () => {
  const { hold } = openResponseMemory(openMetrics(), 0.25);
  for (let count = 0; count < SHARE / 4; count++) hold(newResponse(), 'a', MIB);
  expect(() => hold(newResponse(), 'a', MIB)).toThrow(TryLater);
});
