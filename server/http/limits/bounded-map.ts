// A Map with a maximum size, for libraries that accept a Map: at the limit, a new entry evicts the least recently set
// ones.

/** The share of entries that is evicted at once. */
const EVICTED_SHARE = 1 / 64;

export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.#max) this.#evict();
    return super.set(key, value);
  }

  // A new iterator steps over the entries deleted before, so several are evicted at once. One that is kept between
  // calls keeps every table that the Map has had since: it leaked 70 bytes per entry that was set again.
  #evict(): void {
    let left = Math.max(1, Math.floor(this.#max * EVICTED_SHARE));
    for (const oldest of this.keys()) {
      this.delete(oldest);
      left -= 1;
      if (left === 0) return;
    }
  }
}
