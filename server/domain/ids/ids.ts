// Generates ids and other random strings. This is the only source of randomness; everything else uses the Ids of the
// Hub.
import { randomFillSync } from 'node:crypto';
import type { Clock } from '../time/clock.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 22; // 62^22 > 2^130: as unguessable as a random UUID
const TIME_LENGTH = 7; // 62^7 milliseconds last until 2081
const SAME_TIME_LENGTH = 9; // 62^9 > 2^53 of one millisecond

export type IdPrefix = 'usr' | 'net' | 'tok' | 'ivt' | 'task' | 'msg' | 'cmp' | 'ntf' | 'dlv';

// Ids of tasks, messages and completions start with the time, so that their indexes grow at the end: a send writes 14
// kB instead of 45 kB. They protect nothing, because other networks cannot see them, and they are shorter because
// agents read them. Ids that protect something are fully random.
const ORDERED: readonly IdPrefix[] = ['task', 'msg', 'cmp'];

export type Ids = {
  /** `net_` and 22 base62 characters, `task_` and 16; likewise for the other prefixes. */
  next(prefix: IdPrefix): string;
  /** `length` random base62 characters, for secrets. */
  word(length: number): string;
  /** A random number from 0 up to 1, to spread events over time. */
  fraction(): number;
};

export function randomIds(clock: Clock): Ids {
  return {
    next: (prefix) =>
      `${prefix}_${ORDERED.includes(prefix) ? timeWord(clock) + randomWord(SAME_TIME_LENGTH) : randomWord(ID_LENGTH)}`,
    word: randomWord,
    fraction: randomFraction,
  };
}

function timeWord(clock: Clock): string {
  return base62(clock.now(), TIME_LENGTH);
}

export function randomFraction(): number {
  return Math.random();
}

// Bytes of 248 and above are discarded: 248 = 4 × 62, so every character is equally likely.
export function randomWord(length: number): string {
  let word = '';
  while (word.length < length) {
    const byte = randomByte();
    if (byte < 248) word += BASE62[byte % 62];
  }
  return word;
}

// Random bytes are drawn in blocks, because a call per id costs more than the id.
const drawn = new Uint8Array(4096);
let used = drawn.length;

function randomByte(): number {
  if (used === drawn.length) {
    randomFillSync(drawn); // the global `crypto` loads all of Web Crypto
    used = 0;
  }
  return drawn[used++] ?? 0;
}

/** A non-negative number in base62, padded with zeros to `length`. */
export function base62(value: number, length: number): string {
  let rest = value;
  let word = '';
  while (word.length < length) {
    word = BASE62[rest % 62] + word;
    rest = Math.floor(rest / 62);
  }
  return word;
}
