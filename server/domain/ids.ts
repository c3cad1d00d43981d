// Identifiers and other random words. The only place that draws randomness; everything else takes Ids from the Hub.

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 22; // 62^22 > 2^130: as unguessable as a random UUID

export type IdPrefix = 'usr' | 'net' | 'tok' | 'ivt' | 'task' | 'msg' | 'cmp';

export type Ids = {
  /** `task_` and 22 base62 characters, and likewise for the other prefixes. */
  next(prefix: IdPrefix): string;
  /** `length` random base62 characters, for secrets. */
  word(length: number): string;
  /** A number from 0 up to 1, to spread things in time. */
  fraction(): number;
};

export const randomIds: Ids = {
  next: (prefix) => `${prefix}_${randomWord(ID_LENGTH)}`,
  word: randomWord,
  fraction: () => Math.random(),
};

// Bytes of 248 and above are drawn again: 248 = 4 × 62, so every character is equally likely.
function randomWord(length: number): string {
  let word = '';
  while (word.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < 248 && word.length < length) word += BASE62[byte % 62];
    }
  }
  return word;
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
