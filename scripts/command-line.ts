// The command-line parser of the scripts: `--help`, and one line with exit code 2 for invalid usage.
import { Command, InvalidArgumentError } from 'commander';

const WRONG_USAGE = 2;

/** `name` is the word after `npm run`. */
export function commandLine(name: string, summary: string): Command {
  return new Command(`npm run ${name} --`)
    .description(summary)
    .allowExcessArguments(false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE));
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < Infinity)) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}
