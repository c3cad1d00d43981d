// The command line of the trust run.
import { join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { DIST } from '../../build/step.ts';
import { commandLine, wholeNumber } from '../command-line.ts';
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

export function readOptions(args: string[], rows: readonly string[]): Options {
  const { quick, long, ...options } = commandLine(
    'trust',
    'Put every promise of the hub on trial on the executable; the scoreboard goes to dist/trust.md and dist/trust.json.',
  )
    .option('--quick', 'seconds a row, as `npm test` runs them (the default)')
    .addOption(new Option('--long', 'minutes a row, as the figures in the README were found').conflicts('quick'))
    .option('--only <rows>', `these rows: ${rows.join(', ')}`, chosenFrom(rows), [])
    .option('--seed <number>', 'draw what an earlier run drew', wholeNumber, Math.floor(Math.random() * 2 ** 32))
    .option('--binary <file>', 'the executable on trial', join(DIST, 'agenthub'))
    .option('--lanes <number>', 'how many rows run at the same time', wholeNumber, 2)
    .parse(args, { from: 'user' })
    .opts<Omit<Options, 'size'> & { quick?: true; long?: true }>();
  return { ...options, size: long ? 'long' : 'quick' };
}

/** Names between commas, or the option more than once. */
function chosenFrom(rows: readonly string[]) {
  return (text: string, before: readonly string[]): readonly string[] => {
    const names = text.split(',');
    const unknown = names.filter((name) => !rows.includes(name));
    if (unknown.length > 0) throw new InvalidArgumentError(`There is no row ${unknown.join(', ')}.`);
    return [...before, ...names];
  };
}
