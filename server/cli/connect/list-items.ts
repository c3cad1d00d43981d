// Items that `connect` adds to lists of a settings file, and finds again.
import { type JsonPath, memberOf } from './json-text.ts';

/** Adds the item unless the list has it. */
export function withItem(
  settings: unknown,
  path: readonly string[],
  item: string,
): readonly [path: JsonPath, value: unknown] {
  const list = path.reduce(memberOf, settings);
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return [[...path, items.includes(item) ? items.indexOf(item) : items.length], item];
}

/** The path of the item; undefined if the list does not have it. */
export function itemIn(settings: unknown, path: readonly string[], item: string): JsonPath | undefined {
  const list = path.reduce(memberOf, settings);
  const index = Array.isArray(list) ? list.indexOf(item) : -1;
  return index < 0 ? undefined : [...path, index];
}
