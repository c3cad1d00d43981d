// A seeded random generator: the same seed reproduces the same sample data, attack or test.

export type Draws = {
  /** Returns a number from 0 up to, not including, `bound`. */
  below(bound: number): number;
  oneOf<Item>(items: readonly [Item, ...Item[]]): Item;
};

export function draws(seed: number): Draws {
  let state = seed >>> 0;
  // Tommy Ettinger's mulberry32.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (bound) => next() * bound, oneOf: (items) => items[Math.floor(next() * items.length)] ?? items[0] };
}
