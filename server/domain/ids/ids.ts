// Identifiers and other random words. The only place that draws randomness; everything else takes Ids from the Hub.
import { randomFillSync } from 'node:crypto';
import type { Clock } from '../time/clock.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 22; // 62^22 > 2^130: as unguessable as a random UUID
const TIME_LENGTH = 7; // 62^7 milliseconds last until 2081
const SAME_TIME_LENGTH = 9; // 62^9 > 2^53 of one millisecond

export type IdPrefix = 'usr' | 'net' | 'tok' | 'ivt' | 'task' | 'msg' | 'cmp';

// Ids of what is sent all day begin with the time, so that their indexes grow at the end: a send then writes 14 kB
// where it wrote 45. They protect nothing, since nobody sees what is of another network, and agents read them: so they
// are shorter. Ids that protect something are random throughout.
const ORDERED: readonly IdPrefix[] = ['task', 'msg', 'cmp'];

export type Ids = {
  /** `net_` and 22 base62 characters, `task_` and 16; likewise for the other prefixes. */
  next(prefix: IdPrefix): string;
  /** `length` random base62 characters, for secrets. */
  word(length: number): string;
  /** A number from 0 up to 1, to spread things in time. */
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

// Bytes of 248 and above are drawn again: 248 = 4 × 62, so every character is equally likely.
export function randomWord(length: number): string {
  let word = '';
  while (word.length < length) {
    const byte = randomByte();
    if (byte < 248) word += BASE62[byte % 62];
  }
  return word;
}

// Drawn a page at a time: a call for each id costs more than the id.
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
