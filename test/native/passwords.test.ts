import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { openPasswords, type Passwords } from '../../server/native/passwords.ts';

const COST = 4;
let opened: Passwords[] = [];

afterEach(async () => {
  await Promise.all(opened.map((passwords) => passwords.close()));
  opened = [];
});

function open(startWorker?: () => Worker, cost = COST): Passwords {
  const passwords = openPasswords(startWorker ? { cost, startWorker } : { cost });
  opened.push(passwords);
  return passwords;
}

describe('passwords', () => {
  test('a password matches its own hash and no other does', async () => {
    const passwords = open();
    const hash = await passwords.hash('correct horse');
    expect(hash).toMatch(/^\$2b\$04\$.{53}$/);
    expect(await passwords.verify('correct horse', hash)).toBe(true);
    expect(await passwords.verify('correct horsf', hash)).toBe(false);
    expect(await passwords.verify('', hash)).toBe(false);
  });

  test('the same password gets another hash each time', async () => {
    const passwords = open();
    expect(await passwords.hash('twice')).not.toBe(await passwords.hash('twice'));
  });

  test.each([
    ['24 Chinese characters, which are the 72 bytes that bcrypt reads', '密'.repeat(24)],
    ['256 characters', 'x'.repeat(256)],
    ['256 emoji', '🔑'.repeat(256)],
  ])('%s: one more character at the end makes another password', async (_, password) => {
    const passwords = open();
    const hash = await passwords.hash(password);
    expect(await passwords.verify(password, hash)).toBe(true);
    expect(await passwords.verify(`${password}码`, hash)).toBe(false);
    expect(await passwords.verify([...password].slice(0, -1).join('') + '碼', hash)).toBe(false);
  });

  test('without a hash nothing matches, and the answer takes as long as a wrong password', async () => {
    const passwords = open(undefined, 9);
    const hash = await passwords.hash('secret');
    expect(await passwords.verify('secret', undefined)).toBe(false);
    const wrong = await fastest(() => passwords.verify('wrong', hash));
    const nobody = await fastest(() => passwords.verify('wrong', undefined));
    expect(nobody / wrong).toBeGreaterThan(0.5);
    expect(nobody / wrong).toBeLessThan(2);
  });

  test('many asked at once each get their own answer', async () => {
    const passwords = open();
    const words = Array.from({ length: 20 }, (_, index) => `word ${index}`);
    const hashes = await Promise.all(words.map((word) => passwords.hash(word)));
    const matches = await Promise.all(hashes.map((hash, index) => passwords.verify(`word ${index}`, hash)));
    expect(matches).toEqual(words.map(() => true));
  });

  test('the event loop goes on while a password is hashed', async () => {
    const passwords = open(undefined, 10);
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    await passwords.hash('slow');
    clearInterval(counting);
    expect(turns).toBeGreaterThan(10);
  });

  test('one worker serves all calls', async () => {
    const started = counting(realWorker);
    const passwords = open(started.start);
    await Promise.all([passwords.hash('one'), passwords.hash('two')]);
    await passwords.hash('three');
    expect(started.times()).toBe(1);
  });

  test.each([
    ['throws', 'throw new Error("out of memory")', 'out of memory'],
    ['exits', 'process.exit(3)', 'the password worker has ended'],
  ])('a worker that %s fails those who wait, and the next call starts another', async (_, crash, message) => {
    const dying = `require('node:worker_threads').parentPort.once('message', () => { ${crash} })`;
    const workers = [() => new Worker(dying, { eval: true }), realWorker];
    const passwords = open(() => workers.shift()!());
    const waiting = [passwords.hash('one'), passwords.hash('two')];
    expect(await Promise.allSettled(waiting)).toEqual(
      waiting.map(() => ({ status: 'rejected', reason: expect.objectContaining({ message }) })),
    );
    const hash = await passwords.hash('three');
    expect(await passwords.verify('three', hash)).toBe(true);
  });

  test('closing fails those who wait', async () => {
    const passwords = open(undefined, 14);
    const waiting = expect(passwords.hash('never')).rejects.toThrow('the password worker has ended');
    await passwords.close();
    await waiting;
  });
});

function realWorker(): Worker {
  return new Worker(new URL('../../server/native/password-worker.ts', import.meta.url));
}

function counting(start: () => Worker): { start: () => Worker; times: () => number } {
  let times = 0;
  return { start: () => (times++, start()), times: () => times };
}

async function fastest(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    await act();
    times.push(performance.now() - started);
  }
  return Math.min(...times);
}
