// Batches of one user run a few at a time and in order. The queue is limited in bytes, and other users do not wait for
// it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TryLater } from '../../../server/domain/errors.ts';
import {
  MAX_BATCHES_AT_WORK,
  MAX_WAITING_BATCH_BYTES,
  MAX_WAITING_BATCH_BYTES_OF_ALL,
} from '../../../server/domain/limits.ts';
import { openUserConcurrency } from '../../../server/http/limits/user-concurrency.ts';

function open() {
  const { take } = openUserConcurrency();
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const run = (name: string, user = 'a', bytes = 1): Promise<void> => {
    const end = Promise.withResolvers<void>();
    ends.set(name, end);
    return take(user, bytes, () => {
      begun.push(name);
      return end.promise;
    });
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
