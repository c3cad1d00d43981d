// The command line of the bench.
import { Option } from 'commander';
import { commandLine, positive, wholeNumber } from '../command-line.ts';

export type Target = 'source' | 'binary';

export type Options = {
  /** Each round measures every server at every number of connections once. */
  rounds: number;
  /** The length of one measurement. */
  seconds: number;
  /** Which hub is measured. */
  target: Target;
  /** Where the figures go as JSON as well. */
  json: string | undefined;
};

/** `name` is the bench's: `bench` or `bench:hooks`. */
export function readOptions(name: string, summary: string, args: string[]): Options {
  return commandLine(name, summary)
    .option('--rounds <number>', 'each measures everything once', wholeNumber, 5)
    .option('--seconds <number>', 'how long one measurement takes', positive, 0.6)
    .addOption(new Option('--target <hub>', 'which hub is measured').choices(['source', 'binary']).default('binary'))
    .option('--json <file>', 'write the figures there as well')
    .parse(args, { from: 'user' })
    .opts<Options>();
}
