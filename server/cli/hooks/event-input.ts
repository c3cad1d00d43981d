// The hook event that a client writes to standard input.
import { CommandError } from '../exit-codes.ts';
import { standardInput } from '../text-argument.ts';

/** Fields with the contents of files and tools are longer, and the hub does not use them. */
const LONGEST_FIELD = 2_000;

/** The short plain fields of an event. */
export type EventInput = Readonly<Record<string, string | number | boolean>>;

export async function readEvent(command: string): Promise<Readonly<Record<string, unknown>>> {
  const event = parsed(await standardInput());
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw new CommandError(`${command} reads a hook event from standard input, which is not a JSON object`);
  return { ...event };
}

export function shortFields(event: Readonly<Record<string, unknown>>): EventInput {
  return Object.fromEntries(Object.entries(event).flatMap(([name, value]) => (isShort(value) ? [[name, value]] : [])));
}

function isShort(value: unknown): value is string | number | boolean {
  return ['number', 'boolean'].includes(typeof value) || (typeof value === 'string' && value.length <= LONGEST_FIELD);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function textIn(event: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = event[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
