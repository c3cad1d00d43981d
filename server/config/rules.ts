// The rules for configuration values. Each rule parses the text of a value and throws a RangeError that describes valid
// values.
import { isIP } from 'node:net';
import { resolve } from 'node:path';

/** Relative paths are resolved against `base`: the working directory, or for the file its data directory. */
export type Rule<Value> = ((text: string, base: string) => Value) & {
  /** All valid values, if they are a fixed list. */
  words?: readonly string[];
};

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new RangeError('a non-empty path or name');
  return text;
}

export function path(text: string, base: string): string {
  return resolve(base, nonEmpty(text));
}

const NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i;
/** Systems read a number as an address: 5 as 0.0.0.5. */
const LIKE_IPV4 = /^\d+((\.\d+){3})?$/;

/** An IP address or a host name. Names of containers may have an underscore. */
export function host(text: string): string {
  if (isIP(text) === 0 && (!NAME.test(text) || LIKE_IPV4.test(text)))
    throw new RangeError('an IP address or a host name, such as 127.0.0.1, :: or localhost');
  return text;
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

const trueOrFalseWord = oneOf(['true', 'false']);

export const trueOrFalse: Rule<boolean> = Object.assign((text: string) => trueOrFalseWord(text, '') === 'true', {
  words: ['true', 'false'],
});

/** Empty text means undefined. */
export function optional<Value>(rule: Rule<Value>): Rule<Value | undefined> {
  return (text, base) => (text === '' ? undefined : rule(text, base));
}

/** A base URL: scheme, name and port, without a trailing slash. */
export function origin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url !== undefined && /^https?:\/\/[^/?#@]+\/?$/i.test(text);
  if (!isBare || !/^https?:$/.test(url.protocol))
    throw new RangeError('a URL such as https://hub.example.org, without a path');
  return url.origin;
}

/** `what` describes the values that `isValid` accepts. */
export function matching(isValid: (text: string) => boolean, what: string): Rule<string> {
  return (text) => {
    if (!isValid(text)) throw new RangeError(what);
    return text;
  };
}

export function listOf(isValid: (item: string) => boolean, what: string): Rule<readonly string[]> {
  return (text) => {
    const items = text
      .split(',')
      .map((item) => item.trim().replace(/\/$/, '').toLowerCase())
      .filter((item) => item !== '');
    if (!items.every(isValid)) throw new RangeError(what);
    return items;
  };
}
