// Reproducible randomness: one number decides every draw, and a failing test prints it. SEED=… repeats it.
import { onTestFailed } from 'vitest';

export type Draws = {
  /** A number from 0 up to, but not including, `bound`. */
  below(bound: number): number;
  oneOf<Item>(items: readonly [Item, ...Item[]]): Item;
};

/** Draws for one test. */
export function seededDraws(): Draws {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
  onTestFailed(() => void process.stderr.write(`\nto draw the same again: SEED=${seed}\n`));
  const next = mulberry32(seed);
  return {
    below: (bound) => next() * bound,
    oneOf: (items) => items[Math.floor(next() * items.length)] ?? items[0],
  };
}

/** Tommy Ettinger's generator: 32 bits of state, and good enough for choosing times. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
