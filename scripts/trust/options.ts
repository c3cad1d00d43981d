// The command line of the trust run.
import { join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { DIST } from '../../build/step.ts';
import { commandLine, wholeNumber } from '../command-line.ts';
import type { Size } from './row.ts';

export type Options = {
  size: Size;
  /** Names of rows. Empty for all. */
  only: readonly string[];
  /** The seed of every random draw. */
  seed: number;
  /** The executable under test. */
  binary: string;
  /** How many rows run concurrently. */
  lanes: number;
};

export function readOptions(args: string[], rows: readonly string[]): Options {
  const { quick, long, ...options } = commandLine(
    'trust',
    'Try to break every promise of the hub on the executable. The scoreboard is written to dist/trust.md and dist/trust.json.',
  )
    .option('--quick', 'seconds per row, as in `npm test` (the default)')
    .addOption(new Option('--long', 'minutes per row, as for the figures in the README').conflicts('quick'))
    .option('--only <rows>', `only these rows: ${rows.join(', ')}`, chosenFrom(rows), [])
    .option(
      '--seed <number>',
      'repeat the random draws of an earlier run',
      wholeNumber,
      Math.floor(Math.random() * 2 ** 32),
    )
    .option('--binary <file>', 'the executable under test', join(DIST, 'agenthub'))
    .option('--lanes <number>', 'how many rows run concurrently', wholeNumber, 2)
    .parse(args, { from: 'user' })
    .opts<Omit<Options, 'size'> & { quick?: true; long?: true }>();
  return { ...options, size: long ? 'long' : 'quick' };
}

/** Comma-separated names, or the option more than once. */
function chosenFrom(rows: readonly string[]) {
  return (text: string, before: readonly string[]): readonly string[] => {
    const names = text.split(',');
    const unknown = names.filter((name) => !rows.includes(name));
    if (unknown.length > 0) throw new InvalidArgumentError(`unknown row: ${unknown.join(', ')}`);
    return [...before, ...names];
  };
}
