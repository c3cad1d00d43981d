// Parses and validates parameters and option values. The error is a sentence that states the accepted values.
import { InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import * as fields from '../domain/fields.ts';

export type Reader<Value = unknown> = (text: string) => Value;

/** Validates with the schema of the operation that receives the value. */
export function taking(schema: v.GenericSchema<string, string>): Reader<string> {
  return (text) => {
    const { success, output, issues } = v.safeParse(schema, text);
    if (!success) throw new InvalidArgumentError(`It ${issues[0].message}.`);
    return output;
  };
}

/** An alias, an id or another name. */
export const name = taking(fields.name);

export function file(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a file.');
  return text;
}

export function directory(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be a non-empty path or name.');
  return text;
}

export function wholeNumber(min: number, max: number): Reader<number> {
  return (text) => {
    if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > max)
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return Number(text);
  };
}

/** For an option that can be given without a value. */
export function orTrue<Value>(read: Reader<Value>): Reader<Value | true> {
  return (text) => (text === '' ? true : read(text));
}

export function address(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:4747.');
  return url.origin;
}

/** Keeps a path, under which a proxy may serve the hub. */
export function hubAddress(text: string): string {
  address(text);
  return text.replace(/\/+$/, '');
}

export function isAddress(text: string): boolean {
  return text.includes('://');
}

/** The name of a context. By default it is the host of its hub. */
export function contextName(text: string): string {
  if (!/^[\w[][\w.:[\]-]{0,99}$/.test(text))
    throw new InvalidArgumentError('It must be a name of letters, digits, dots, colons, hyphens and underscores.');
  return text;
}

/** The address of a hub or the name of a context. */
export function hubName(text: string): string {
  return isAddress(text) ? hubAddress(text) : contextName(text);
}

/** The name of an operating system account. */
export function accountName(text: string): string {
  if (!/^[a-z_0-9][a-z_0-9.-]{0,30}$/i.test(text))
    throw new InvalidArgumentError('It must be the name of a system account, such as agenthub.');
  return text;
}

/** Prometheus accepts any text. These characters need no quotes in an expression. */
export function scrapeJob(text: string): string {
  if (!/^[\w./: -]{1,100}$/.test(text))
    throw new InvalidArgumentError('It must be 1 to 100 letters, digits, spaces and characters of "_./:-".');
  return text;
}

export function numberAboveZero(max: number): Reader<number> {
  return (text) => {
    const value = Number(text);
    if (!(value > 0 && value <= max)) throw new InvalidArgumentError(`It must be a number above 0, at most ${max}.`);
    return value;
  };
}

export function seconds(min: number, max: number): Reader<number> {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= max))
      throw new InvalidArgumentError(`It must be a number of seconds from ${min} to ${max}.`);
    return value;
  };
}
