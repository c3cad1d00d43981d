// What a configuration value may be. Each rule reads text, as it stands on the command line, and throws a RangeError
// that says what it must be.
import { resolve } from 'node:path';

/** Relative paths count from `base`: where the command runs, or for the file the data directory it lies in. */
export type Rule<Value> = ((text: string, base: string) => Value) & {
  /** Where there are only these. */
  words?: readonly string[];
};

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new RangeError('a path or name, not empty');
  return text;
}

export function path(text: string, base: string): string {
  return resolve(base, nonEmpty(text));
}

export function numberFrom(min: number, max: number): Rule<number> {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= max)) throw new RangeError(`a number from ${min} to ${max}`);
    return value;
  };
}

export function wholeNumber(min: number, max: number): Rule<number> {
  return (text) => {
    if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > max)
      throw new RangeError(`a whole number from ${min} to ${max}`);
    return Number(text);
  };
}

export function oneOf<const Word extends string>(words: readonly Word[]): Rule<Word> {
  const read = (text: string): Word => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new RangeError(`one of ${words.join(', ')}`);
    return found;
  };
  return Object.assign(read, { words });
}

/** Empty text stands for none. */
export function optional<Value>(rule: Rule<Value>): Rule<Value | undefined> {
  return (text, base) => (text === '' ? undefined : rule(text, base));
}

/** What the hub is reached at: scheme, name and port, without a slash at the end. */
export function origin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url !== undefined && /^https?:\/\/[^/?#@]+\/?$/i.test(text);
  if (!isBare || !/^https?:$/.test(url.protocol))
    throw new RangeError('an address such as https://hub.example.org, without a path');
  return url.origin;
}

/** `what` says in words what `isFine` asks for. */
export function matching(isFine: (text: string) => boolean, what: string): Rule<string> {
  return (text) => {
    if (!isFine(text)) throw new RangeError(what);
    return text;
  };
}

export function listOf(isFine: (item: string) => boolean, what: string): Rule<readonly string[]> {
  return (text) => {
    const items = text
      .split(',')
      .map((item) => item.trim().replace(/\/$/, '').toLowerCase())
      .filter((item) => item !== '');
    if (!items.every(isFine)) throw new RangeError(what);
    return items;
  };
}
