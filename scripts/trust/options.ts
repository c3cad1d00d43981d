// The command line of the trust run.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DIST } from '../../build/step.ts';
import type { Size } from './row.ts';

export type Options = {
  size: Size;
  /** Names of rows; all of them when empty. */
  only: readonly string[];
  /** Decides every draw of the run. */
  seed: number;
  /** The executable on trial. */
  binary: string;
  /** How many rows run at the same time. */
  lanes: number;
};

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean' },
      long: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
      binary: { type: 'string', default: join(DIST, 'agenthub') },
      lanes: { type: 'string', default: '2' },
    },
  });
  if (values.quick && values.long) throw new Error('--quick and --long exclude each other');
  return {
    size: values.long ? 'long' : 'quick',
    only: values.only.flatMap((names) => names.split(',')),
    seed: wholeNumber('--seed', values.seed),
    binary: values.binary,
    lanes: wholeNumber('--lanes', values.lanes),
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${name} must be a whole number`);
  return Number(text);
}
