// Hashes and checks passwords in one thread of its own, started at the first call and kept. The thread holds the process
// open only while somebody waits for it; when it dies, those who wait are told and the next call starts another.
import { timingSafeEqual } from 'node:crypto';
import { isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import { readAsset } from './assets.ts';
import type { Answer, Question } from './password-worker.ts';

export type Passwords = {
  hash(password: string): Promise<string>;
  /** Without a hash (nobody by that name) it answers false, after the same work as for a wrong password. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  close(): Promise<void>;
};

type Options = { cost: number; startWorker?: () => Worker };
type Hasher = { hash(password: string, salt: string | number): Promise<string>; close(): Promise<void> };

/** What the hub takes: a quarter of a second. */
export const BCRYPT_COST = 12;

const SALT_CHARACTERS = 29;
const HASH_CHARACTERS = 60;

export function openPasswords({ cost, startWorker = startPasswordWorker }: Options): Passwords {
  const nobody = unmatchable(cost);
  let running: Hasher | undefined;
  const hasher = () => (running ??= start());

  function start(): Hasher {
    const started = connect(startWorker(), () => {
      if (running === started) running = undefined;
    });
    return started;
  }

  return {
    hash: (password) => hasher().hash(password, cost),
    verify: async (password, hash = nobody) => isSame(await hasher().hash(password, saltOf(hash)), hash),
    close: async () => running?.close(),
  };
}

/** A well-formed hash that no password has: salt and digest are all zeros. */
function unmatchable(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$`.padEnd(HASH_CHARACTERS, '.');
}

function startPasswordWorker(): Worker {
  if (!isSea()) return new Worker(new URL('./password-worker.ts', import.meta.url));
  const source = readAsset('password-worker.js');
  if (!source) throw new Error('the executable was built without its password worker');
  return new Worker(Buffer.from(source).toString(), { eval: true });
}

function saltOf(hash: string): string {
  return hash.slice(0, SALT_CHARACTERS);
}

function isSame(made: string, kept: string): boolean {
  return made.length === kept.length && timingSafeEqual(Buffer.from(made), Buffer.from(kept));
}

/** Those who wait belong to one worker: the late `exit` of a dead one must not fail the questions put to its successor. */
function connect(worker: Worker, onEnd: () => void): Hasher {
  const waiting = new Map<number, PromiseWithResolvers<string>>();
  let asked = 0;
  worker.on('message', settle).on('error', end).on('exit', () => end(new Error('the password worker has ended')));
  worker.unref();

  function hash(password: string, salt: string | number): Promise<string> {
    const question: Question = { id: ++asked, password, salt };
    const answer = Promise.withResolvers<string>();
    waiting.set(question.id, answer);
    worker.ref();
    worker.postMessage(question);
    return answer.promise;
  }

  function settle({ id, hash }: Answer): void {
    waiting.get(id)?.resolve(hash);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
  }

  function end(reason: Error): void {
    onEnd();
    for (const answer of waiting.values()) answer.reject(reason);
    waiting.clear();
  }

  return { hash, close: async () => void (await worker.terminate()) };
}
