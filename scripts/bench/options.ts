// The command-line options of the benchmarks.
import { type Command, Option } from 'commander';
import { commandLine, positive, wholeNumber } from '../command-line.ts';

export type Target = 'source' | 'binary';

export type Options = {
  /** Each round measures every server at every number of connections once. */
  rounds: number;
  /** The length of one measurement. */
  seconds: number;
  /** The measured form of the hub. */
  target: Target;
  /** A file for the results as JSON. */
  json: string | undefined;
};

/** The options of `bench` only. */
export type BenchOptions = Options & {
  /** The numbers of tasks at which reads and sends are measured, in ascending order. */
  sizes: readonly number[];
  /** The number of open streams for a broadcast. */
  streams: number;
  /** Only sends, start and memory. */
  quick?: true;
};

const SUMMARY =
  'Measures durable sends, scaling with the number of tasks, start time and memory, compared with servers that store nothing.';
const SIZES = '1000,100000,1000000';

export function readBenchOptions(args: string[]): BenchOptions {
  return commands('bench', SUMMARY)
    .option('--quick', 'only sends, start and memory')
    .option(
      '--sizes <numbers>',
      'numbers of tasks at which reads are measured, comma-separated',
      ascending,
      ascending(SIZES),
    )
    .option('--streams <number>', 'number of open streams for a broadcast', wholeNumber, 10_000)
    .parse(args, { from: 'user' })
    .opts<BenchOptions>();
}

/** `name` is the name of the benchmark, such as `bench:hooks`. */
export function readOptions(name: string, summary: string, args: string[]): Options {
  return commands(name, summary).parse(args, { from: 'user' }).opts<Options>();
}

function commands(name: string, summary: string): Command {
  return commandLine(name, summary)
    .option('--rounds <number>', 'number of rounds; each measures everything once', wholeNumber, 5)
    .option('--seconds <number>', 'duration of one measurement', positive, 0.6)
    .addOption(new Option('--target <hub>', 'which hub is measured').choices(['source', 'binary']).default('binary'))
    .option('--json <file>', 'write the figures there as well');
}

function ascending(text: string): number[] {
  return text
    .split(',')
    .map(wholeNumber)
    .sort((one, other) => one - other);
}
