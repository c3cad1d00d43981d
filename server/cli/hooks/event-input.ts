// The hook event that a client writes to standard input.
import { CommandError } from '../exit-codes.ts';
import { standardInput } from '../text-argument.ts';

/** Fields with the contents of files and tools are longer, and the hub does not use them. */
const LONGEST_FIELD = 2_000;

export type EventInput = Readonly<Record<string, string | number | boolean>>;

/** The short plain fields of the event. */
export async function readEvent(command: string): Promise<EventInput> {
  const event = parsed(await standardInput());
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw new CommandError(`${command} reads a hook event from standard input, which is not a JSON object`);
  return Object.fromEntries(Object.entries(event).filter(([, value]) => isShort(value)));
}

function isShort(value: unknown): boolean {
  return ['number', 'boolean'].includes(typeof value) || (typeof value === 'string' && value.length <= LONGEST_FIELD);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function textIn(event: EventInput, name: string): string | undefined {
  const value = event[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
