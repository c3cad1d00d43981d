// A Map with a maximum size, for libraries that accept a Map: at the limit, a new entry evicts the least recently set
// one.

export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;
  // Kept between calls: a new iterator would step over every deleted entry before the oldest one.
  readonly #oldest: MapIterator<Key>;

  constructor(max: number) {
    super();
    this.#max = max;
    this.#oldest = this.keys();
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.#max) this.#deleteOldest();
    return super.set(key, value);
  }

  #deleteOldest(): void {
    const { value, done } = this.#oldest.next();
    if (!done) this.delete(value);
  }
}
