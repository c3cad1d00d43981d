// Batches of one user, and their requests for figures, run a few at a time and in order. The queue is limited, and
// other users do not wait for it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TryLater } from '../../../server/domain/errors.ts';
import {
  MAX_BATCHES_AT_WORK,
  MAX_FIGURES_AT_WORK,
  MAX_WAITING_BATCH_BYTES,
  MAX_WAITING_BATCH_BYTES_OF_ALL,
  MAX_WAITING_FIGURES,
} from '../../../server/domain/limits.ts';
import { openBatchConcurrency, openFiguresConcurrency } from '../../../server/http/limits/user-concurrency.ts';

function open({ take } = openBatchConcurrency()) {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const run = (name: string, user = 'a', size = 1, gone?: AbortSignal): Promise<void> => {
    const end = Promise.withResolvers<void>();
    ends.set(name, end);
    const work = (): Promise<void> => {
      begun.push(name);
      return end.promise;
    };
    return take(user, size, work, gone);
  };
  const finish = async (name: string, act: 'resolve' | 'reject' = 'resolve'): Promise<void> => {
    ends.get(name)?.[act]();
    await nextTurn();
  };
  return { run, begun, finish };
}

const FIRST = Array.from({ length: MAX_BATCHES_AT_WORK }, (_, index) => `first ${index}`);

test('the next batch starts when one ends, however it ends', async () => {
  const { run, begun, finish } = open();
  const all = [...FIRST, 'second', 'third'].map((name) => run(name).catch(() => {}));
  await nextTurn();
  expect(begun).toEqual(FIRST);
  await finish('first 0', 'reject');
  expect(begun).toEqual([...FIRST, 'second']);
  await finish('second');
  expect(begun).toEqual([...FIRST, 'second', 'third']);
  await finish('third');
  for (const name of FIRST) await finish(name);
  await Promise.all(all);
});

test('users do not wait for each other', async () => {
  const { run, begun } = open();
  for (const name of [...FIRST, 'second']) void run(name);
  void run('other', 'b');
  await nextTurn();
  expect(begun).toEqual([...FIRST, 'other']);
});

test('a batch beyond the queue limit is rejected with a retry time until another one ends', async () => {
  const { run, finish } = open();
  for (const name of FIRST) void run(name);
  void run('second', 'a', MAX_WAITING_BATCH_BYTES);
  await expect(run('third')).rejects.toThrow(TryLater);
  await finish('first 0');
  void run('fourth');
  await finish('second');
});

test('the batches of all users have a total limit too', async () => {
  const { run, finish } = open();
  const users = MAX_WAITING_BATCH_BYTES_OF_ALL / MAX_WAITING_BATCH_BYTES;
  for (let user = 0; user < users; user++) {
    void run(`work ${user}`, `user ${user}`);
    void run(`wait ${user}`, `user ${user}`, MAX_WAITING_BATCH_BYTES);
  }
  void run('work', 'other');
  await expect(run('one more', 'other', 1)).rejects.toThrow('too many batches are waiting; try again later');
  await finish('work 0');
  void run('now', 'other', 1);
  await finish('work');
});

test('a few requests for figures run at a time, and a limited number is queued', async () => {
  const { run, begun, finish } = open(openFiguresConcurrency());
  const names = Array.from({ length: MAX_FIGURES_AT_WORK + MAX_WAITING_FIGURES }, (_, index) => `request ${index}`);
  for (const name of names) void run(name);
  await expect(run('one too many')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 5 });
  void run('of another user', 'b');
  await nextTurn();
  expect(begun).toEqual([...names.slice(0, MAX_FIGURES_AT_WORK), 'of another user']);
  await finish('request 0');
  void run('fits again');
  for (const name of names) await finish(name);
  expect(begun.at(-1)).toBe('fits again');
});

test('a request whose client leaves the queue is dropped, and makes room for another', async () => {
  const { run, begun, finish } = open(openFiguresConcurrency());
  const client = new AbortController();
  const first = Array.from({ length: MAX_FIGURES_AT_WORK }, (_, index) => `first ${index}`);
  for (const name of first) void run(name);
  const left = Array.from({ length: MAX_WAITING_FIGURES }, (_, index) => run(`left ${index}`, 'a', 1, client.signal));
  client.abort();
  for (const each of left) await expect(each).rejects.toMatchObject({ code: 'client_left' });
  await expect(run('too late', 'a', 1, client.signal)).rejects.toMatchObject({ code: 'client_left' });
  void run('next');
  await finish('first 0');
  expect(begun).toEqual([...first, 'next']);
});

test('work that has started runs to its end when its client leaves', async () => {
  const { run, begun, finish } = open(openFiguresConcurrency());
  const client = new AbortController();
  const all = Array.from({ length: MAX_FIGURES_AT_WORK + 1 }, (_, index) =>
    run(`request ${index}`, 'a', 1, client.signal),
  );
  await finish('request 0');
  client.abort();
  for (let index = 1; index < all.length; index++) await finish(`request ${index}`);
  await Promise.all(all);
  expect(begun).toHaveLength(all.length);
});
