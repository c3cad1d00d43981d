// The command line of the bench.
import { type Command, Option } from 'commander';
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

/** Of `bench` alone. */
export type BenchOptions = Options & {
  /** With how many tasks reads and sends are measured, in ascending order. */
  sizes: readonly number[];
  /** How many open streams a broadcast reaches. */
  streams: number;
  /** Sends, start and memory alone. */
  quick?: true;
};

const SUMMARY =
  'How fast the hub takes durable sends, how it fares as tasks pile up, and what it weighs, next to servers that store nothing.';
const SIZES = '1000,100000,1000000';

export function readBenchOptions(args: string[]): BenchOptions {
  return commands('bench', SUMMARY)
    .option('--quick', 'sends, start and memory alone')
    .option('--sizes <numbers>', 'with how many tasks reads are measured, comma-separated', ascending, ascending(SIZES))
    .option('--streams <number>', 'how many open streams a broadcast reaches', wholeNumber, 10_000)
    .parse(args, { from: 'user' })
    .opts<BenchOptions>();
}

/** `name` is the bench's, such as `bench:hooks`. */
export function readOptions(name: string, summary: string, args: string[]): Options {
  return commands(name, summary).parse(args, { from: 'user' }).opts<Options>();
}

function commands(name: string, summary: string): Command {
  return commandLine(name, summary)
    .option('--rounds <number>', 'each measures everything once', wholeNumber, 5)
    .option('--seconds <number>', 'how long one measurement takes', positive, 0.6)
    .addOption(new Option('--target <hub>', 'which hub is measured').choices(['source', 'binary']).default('binary'))
    .option('--json <file>', 'write the figures there as well');
}

function ascending(text: string): number[] {
  return text
    .split(',')
    .map(wholeNumber)
    .sort((one, other) => one - other);
}
