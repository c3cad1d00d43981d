// Hashes and verifies passwords one at a time in a worker thread, which is started at the first call and kept. The
// thread keeps the process alive only while it works; if it dies, the current call fails and the next starts another.
import { timingSafeEqual } from 'node:crypto';
import { isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import { clientLeft, passwordsBusy } from '../domain/errors.ts';
import { isPasswordHash } from '../domain/files/stored-values.ts';
import {
  FAVORED_CHANGE_TURNS_PER_MINUTE,
  FAVORED_LOGIN_TURNS_PER_MINUTE,
  MAX_PASSWORDS_WAITING,
  MAX_PASSWORDS_WAITING_PER_ADDRESS,
  MAX_PASSWORDS_WAITING_PER_USER,
} from '../domain/limits.ts';
import { readAsset } from './assets.ts';
import type { Answer, Question } from './password-worker.ts';
import { openTurns, type Turn, type TurnLimits } from './turns.ts';

export type Passwords = {
  hash(password: string, turn?: Turn): Promise<string>;
  /** Without a valid hash, returns false after the same work as for a wrong password. */
  verify(password: string, hash: string | undefined, turn?: Turn): Promise<boolean>;
  close(): Promise<void>;
  /** The number of waiting calls, and of passwords hashed since the start, to verify or to store them. */
  load(): { waiting: number; hashed: number };
};

type Options = { cost: number; startWorker?: () => Worker };
type Hasher = { hash(password: string, salt: string | number): Promise<string>; close(): Promise<void> };

export type { Turn } from './turns.ts';

/** The cost in production: a quarter of a second. */
export const BCRYPT_COST = 12;

const SALT_CHARACTERS = 29;
const HASH_CHARACTERS = 60;

const LIMITS: TurnLimits = {
  maxWaiting: MAX_PASSWORDS_WAITING,
  maxWaitingPerClient: MAX_PASSWORDS_WAITING_PER_ADDRESS,
  maxWaitingPerUser: MAX_PASSWORDS_WAITING_PER_USER,
  favored: { known: FAVORED_LOGIN_TURNS_PER_MINUTE, change: FAVORED_CHANGE_TURNS_PER_MINUTE },
};

export function openPasswords({ cost, startWorker = startPasswordWorker }: Options): Passwords {
  const dummyHash = unmatchable(cost);
  const turns = openTurns({ ...LIMITS, busy: passwordsBusy, left: clientLeft });
  let running: Hasher | undefined;
  let hashed = 0;
  let isClosed = false;

  function start(): Hasher {
    const started = connect(startWorker(), () => {
      if (running === started) running = undefined;
    });
    return started;
  }

  const hashWith = (password: string, salt: string | number, turn: Turn = {}): Promise<string> =>
    turns.take(async () => {
      if (isClosed) throw workerEnded();
      const made = await (running ??= start()).hash(password, salt);
      hashed += 1;
      return made;
    }, turn);

  return {
    hash: (password, turn) => hashWith(password, cost, turn),
    verify: async (password, hash = dummyHash, turn) => {
      const kept = isPasswordHash(hash) ? hash : dummyHash; // a hash of cost 31 would keep the thread busy for days
      return isSame(await hashWith(password, saltOf(kept), turn), kept);
    },
    close: async () => {
      isClosed = true;
      await running?.close();
    },
    load: () => ({ waiting: turns.waiting(), hashed }),
  };
}

/** A well-formed hash that matches no password: salt and digest are all zeros. */
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

const workerEnded = (): Error => new Error('the password worker has ended');

/** Pending calls belong to one worker: the late `exit` of a dead worker must not fail the calls of its successor. */
function connect(worker: Worker, onEnd: () => void): Hasher {
  const waiting = new Map<number, PromiseWithResolvers<string>>();
  let asked = 0;
  worker
    .on('message', settle)
    .on('error', end)
    .on('exit', () => end(workerEnded()));
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
