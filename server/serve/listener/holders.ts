// Who holds how many connections.

export type Holders<Item> = {
  add(holder: string, item: Item): void;
  remove(item: Item): void;
  /** The number of all items. */
  count(): number;
  all(): Iterable<Item>;
  size(holder: string): number;
  /** The items of a holder, oldest first. */
  of(holder: string): Iterable<Item>;
  /** Makes the item the newest of its holder. */
  moveBack(item: Item): void;
  /** The holders with the most items, the largest first. */
  largest(atMost: number): Generator<string>;
};

export function openHolders<Item>(): Holders<Item> {
  const items = new Map<string, Set<Item>>();
  const holderOf = new Map<Item, string>();

  const add = (holder: string, item: Item): void => {
    items.getOrInsertComputed(holder, () => new Set()).add(item);
    holderOf.set(item, holder);
  };
  const remove = (item: Item): void => {
    const holder = holderOf.get(item);
    if (holder === undefined) return;
    holderOf.delete(item);
    const left = items.get(holder);
    left?.delete(item);
    if (left?.size === 0) items.delete(holder);
  };
  // Each step looks at all holders, which takes microseconds; sorting thousands of them would take a millisecond.
  function* largest(atMost: number): Generator<string> {
    const seen = new Set<string>();
    while (seen.size < atMost) {
      let most: { holder: string; size: number } | undefined;
      for (const [holder, { size }] of items)
        if (size > (most?.size ?? 0) && !seen.has(holder)) most = { holder, size };
      if (most === undefined) return;
      seen.add(most.holder);
      yield most.holder;
    }
  }
  return {
    add,
    remove,
    count: () => holderOf.size,
    all: () => holderOf.keys(),
    size: (holder) => items.get(holder)?.size ?? 0,
    of: (holder) => items.get(holder) ?? [],
    moveBack: (item) => {
      const holder = holderOf.get(item);
      if (holder === undefined) return;
      items.get(holder)?.delete(item);
      items.get(holder)?.add(item);
    },
    largest,
  };
}
