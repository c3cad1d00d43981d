// How a word of the command line is read: what a parameter or an option takes, and the sentence for what it does not.
import { InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import * as fields from '../domain/fields.ts';

export type Reader<Value = unknown> = (text: string) => Value;

/** By the rule of the operation that is handed it. */
export function taking(schema: v.GenericSchema<string, string>): Reader<string> {
  return (text) => {
    const { success, output, issues } = v.safeParse(schema, text);
    if (!success) throw new InvalidArgumentError(`It ${issues[0].message}.`);
    return output;
  };
}

/** An alias, an id, or what else has a name. */
export const name = taking(fields.name);

export function file(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a file.');
  return text;
}

export function wholeNumber(min: number, max: number): Reader<number> {
  return (text) => {
    if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > max)
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return Number(text);
  };
}

export function address(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:4747.');
  return url.origin;
}

/** An account of the system. */
export function accountName(text: string): string {
  if (!/^[a-z_0-9][a-z_0-9.-]{0,30}$/i.test(text))
    throw new InvalidArgumentError('It must be the name of an account of this system, such as agenthub.');
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
