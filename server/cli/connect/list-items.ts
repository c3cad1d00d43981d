// Items that `connect` adds to lists of a settings file, and finds again.
import { type JsonPath, memberOf } from './text/json-text.ts';

/** Adds the item, or replaces the one of this pattern. */
export function withItem(
  settings: unknown,
  path: readonly string[],
  item: string,
  replaced = exactly(item),
): readonly [path: JsonPath, value: unknown] {
  const list = path.reduce(memberOf, settings);
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const own = items.findIndex(isLike(replaced));
  return [[...path, own < 0 ? items.length : own], item];
}

/** The path of the item; undefined if the list does not have it. */
export function itemIn(settings: unknown, path: readonly string[], wanted: string | RegExp): JsonPath | undefined {
  const list = path.reduce(memberOf, settings);
  const index = Array.isArray(list)
    ? list.findIndex(isLike(typeof wanted === 'string' ? exactly(wanted) : wanted))
    : -1;
  return index < 0 ? undefined : [...path, index];
}

function exactly(text: string): RegExp {
  return new RegExp(`^${RegExp.escape(text)}$`);
}

function isLike(pattern: RegExp): (entry: unknown) => boolean {
  return (entry) => typeof entry === 'string' && pattern.test(entry);
}
