// What a command of the client is, and how the command line learns of it. A command's module is loaded when it runs and
// not before: help and completion need none of them.
import { Command, InvalidArgumentError, Option } from 'commander';
import { EXIT } from './exit-codes.ts';

export type ClientCommand = {
  name: string;
  /** As commander writes them, such as `<alias> [text]`. */
  parameters?: string;
  about: string;
  options?: readonly Option[];
  /** More that help should say, in whole sentences. */
  notes?: string;
  examples: readonly string[];
  /** What runs: it is handed the parameters, the options, and commander's own command. */
  load: () => Promise<(...given: never[]) => Promise<void>>;
};

export function commandOf({ name, parameters, about, options = [], notes, examples, load }: ClientCommand): Command {
  const command = new Command(name).description(about).allowExcessArguments(false);
  if (parameters !== undefined) command.arguments(parameters);
  options.forEach((option) => command.addOption(option));
  return command
    .addHelpText('after', helpAfter(examples, notes))
    // What commander hands over is what `parameters` and `options` say; the table of commands forgot the types.
    .action(async (...given: unknown[]) => {
      endWithItsReader();
      await (await load())(...(given as never[]));
    });
}

// As with `agenthub tasks | head -1`: nobody is left to write for.
function endWithItsReader(): void {
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(EXIT.ok);
    throw error;
  });
}

export function helpAfter(examples: readonly string[], notes?: string): string {
  const said = notes === undefined ? '' : `\n${notes}\n`;
  return `${said}\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

export function option(flags: string, about: string, read?: (text: string) => unknown): Option {
  const made = new Option(flags, about);
  return read === undefined ? made : made.argParser(read);
}

export function choice(flags: string, about: string, words: readonly string[]): Option {
  return new Option(flags, about).choices(words);
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > max) throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return Number(text);
  };
}

export function seconds(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= max)) throw new InvalidArgumentError(`It must be a number of seconds from ${min} to ${max}.`);
    return value;
  };
}
