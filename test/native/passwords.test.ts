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
  test('a password matches only its own hash', async () => {
    const passwords = open();
    const hash = await passwords.hash('correct horse');
    expect(hash).toMatch(/^\$2b\$04\$.{53}$/);
    expect(await passwords.verify('correct horse', hash)).toBe(true);
    expect(await passwords.verify('correct horsf', hash)).toBe(false);
    expect(await passwords.verify('', hash)).toBe(false);
  });

  test('the same password gets a different hash each time', async () => {
    const passwords = open();
    expect(await passwords.hash('twice')).not.toBe(await passwords.hash('twice'));
  });

  test.each([
    ['24 Chinese characters, which are the 72 bytes that bcrypt reads', '密'.repeat(24)],
    ['256 characters', 'x'.repeat(256)],
    ['256 emoji', '🔑'.repeat(256)],
  ])('%s: one more character at the end makes a different password', async (_, password) => {
    const passwords = open();
    const hash = await passwords.hash(password);
    expect(await passwords.verify(password, hash)).toBe(true);
    expect(await passwords.verify(`${password}码`, hash)).toBe(false);
    expect(await passwords.verify(`${[...password].slice(0, -1).join('')}碼`, hash)).toBe(false);
  });

  test('without a hash nothing matches, and it takes as long as a wrong password', async () => {
    const passwords = open(undefined, 9);
    const hash = await passwords.hash('secret');
    expect(await passwords.verify('secret', undefined)).toBe(false);
    const [wrong, nobody] = await fastest(
      () => passwords.verify('wrong', hash),
      () => passwords.verify('wrong', undefined),
    );
    expect(nobody / wrong).toBeGreaterThan(0.5);
    expect(nobody / wrong).toBeLessThan(2);
  });

  test.each([
    ['a cost of 31, which would take days', `$2b$31$${'x'.repeat(53)}`],
    ['a cost of 15', `$2b$15$${'x'.repeat(53)}`],
    ['another algorithm', `$1$xxxxxxxx$${'x'.repeat(48)}`],
    ['part of a hash', 'x'],
  ])('a stored hash with %s never matches, and does not delay others', async (_, stored) => {
    const passwords = open();
    const hash = await passwords.hash('right');
    const [ofStored, ofOther] = await Promise.all([passwords.verify('right', stored), passwords.verify('right', hash)]);
    expect([ofStored, ofOther]).toEqual([false, true]);
    expect(passwords.load()).toEqual({ waiting: 0, hashed: 3 });
  });

  test('concurrent calls each get their own result', async () => {
    const passwords = open();
    const words = Array.from({ length: 20 }, (_, index) => `word ${index}`);
    const hashes = await Promise.all(words.map((word) => passwords.hash(word)));
    const matches = await Promise.all(hashes.map((hash, index) => passwords.verify(`word ${index}`, hash)));
    expect(matches).toEqual(words.map(() => true));
  });

  test('the event loop keeps running while a password is hashed', async () => {
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
  ])('a worker that %s fails its current call, and the next call starts another', async (_, crash, message) => {
    const dying = `require('node:worker_threads').parentPort.once('message', () => { ${crash} })`;
    const workers = [() => new Worker(dying, { eval: true }), realWorker];
    const passwords = open(() => workers.shift()!());
    const [one, two] = await Promise.allSettled([passwords.hash('one'), passwords.hash('two')]);
    expect(one).toEqual({ status: 'rejected', reason: expect.objectContaining({ message }) });
    expect(await passwords.verify('two', two.status === 'fulfilled' ? two.value : undefined)).toBe(true);
  });

  test('at most 32 wait for the running one, and more are rejected at once and cost nothing', async () => {
    const passwords = open();
    const calls = Array.from({ length: 200 }, () => passwords.verify('wrong', undefined));
    expect(passwords.load()).toEqual({ waiting: 32, hashed: 0 });
    const results = await Promise.allSettled(calls);
    const refused = results.filter((response) => response.status === 'rejected');
    expect(refused).toHaveLength(200 - 33);
    expect(refused[0]?.reason).toMatchObject({ code: 'unavailable', retryAfterSeconds: 10 });
    expect(passwords.load()).toEqual({ waiting: 0, hashed: 33 });
  });

  test('a caller that disconnects while waiting costs no hash', async () => {
    const passwords = open();
    const leaving = new AbortController();
    const calls = Array.from({ length: 30 }, () => passwords.verify('wrong', undefined, { gone: leaving.signal }));
    leaving.abort();
    const results = await Promise.allSettled([...calls, passwords.hash('late', { gone: leaving.signal })]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(passwords.load()).toEqual({ waiting: 0, hashed: 1 });
  });

  test('closing fails the waiting calls', async () => {
    const passwords = open(undefined, 14);
    const waiting = Promise.allSettled([passwords.hash('never'), passwords.hash('nor this')]);
    await passwords.close();
    const ended = { status: 'rejected', reason: expect.objectContaining({ message: 'the password worker has ended' }) };
    expect(await waiting).toEqual([ended, ended]);
  });
});

function realWorker(): Worker {
  return new Worker(new URL('../../server/native/password-worker.ts', import.meta.url));
}

function counting(start: () => Worker): { start: () => Worker; times: () => number } {
  let times = 0;
  return {
    start: () => {
      times++;
      return start();
    },
    times: () => times,
  };
}

// Alternates, so that other load on the machine affects both equally.
async function fastest(
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<[one: number, other: number]> {
  const times: [one: number[], other: number[]] = [[], []];
  for (let round = 0; round < 8; round++) {
    times[0].push(await timeOf(one));
    times[1].push(await timeOf(other));
  }
  return [Math.min(...times[0]), Math.min(...times[1])];
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}
