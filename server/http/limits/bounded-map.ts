// A Map of at most so many entries, for libraries that take a Map: a new entry replaces the one that was set longest
// ago.

export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;
  // Goes on where it stopped: a new iterator would have to step over all that was deleted before the oldest entry.
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
