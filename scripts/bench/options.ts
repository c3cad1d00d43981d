// The command line of the bench.
import { parseArgs } from 'node:util';

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

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '0.6' },
      target: { type: 'string', default: 'binary' },
      json: { type: 'string' },
    },
  });
  const { rounds, seconds, target, json } = values;
  if (target !== 'source' && target !== 'binary') throw new Error('--target must be source or binary');
  return { rounds: positive('--rounds', rounds), seconds: positive('--seconds', seconds), target, json };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name} must be a number above 0`);
  return value;
}
