// What a command is, and how the command line learns of it. A command's module is loaded when it runs and
// not before: help and completion need none of them.
import { Command, InvalidArgumentError, Option } from 'commander';

export type CommandRow = {
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

/** Commands that share a first word. */
export type CommandFamily = { name: string; about: string; commands: readonly CommandRow[] };

export function commandFor(entry: CommandRow | CommandFamily): Command {
  return 'commands' in entry ? familyOf(entry) : commandOf(entry);
}

function familyOf({ name, about, commands }: CommandFamily): Command {
  const family = new Command(name).description(about);
  commands.forEach((command) => family.addCommand(commandOf(command)));
  return family.addHelpText('after', helpAfter(commands.flatMap(({ examples }) => examples.slice(0, 1))));
}

function commandOf({ name, parameters, about, options = [], notes, examples, load }: CommandRow): Command {
  const command = new Command(name).description(about).allowExcessArguments(false);
  if (parameters !== undefined) command.arguments(parameters);
  options.forEach((option) => command.addOption(option));
  return command
    .addHelpText('after', helpAfter(examples, notes))
    // What commander hands over is what `parameters` and `options` say; the table of commands forgot the types.
    .action(async (...given: unknown[]) => (await load())(...(given as never[])));
}

export function helpAfter(examples: readonly string[], notes?: string): string {
  const said = notes === undefined ? '' : `\n${notes}\n`;
  return `${said}\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

export function option(flags: string, about: string, read?: (text: string) => unknown): Option {
  const made = new Option(flags, about);
  return read === undefined ? made : made.argParser(read);
}

/** For what is listed or answered. */
export const OUTPUT = new Option('-o, --output <format>', 'table for people, json for scripts').choices(['table', 'json']).default('table');

export function choice(flags: string, about: string, words: readonly string[]): Option {
  return new Option(flags, about).choices(words);
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > max) throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return Number(text);
  };
}

export function address(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:4747.');
  return url.origin;
}

/** An account of the system. */
export function accountName(text: string): string {
  if (!/^[a-z_0-9][a-z_0-9.-]{0,30}$/i.test(text)) throw new InvalidArgumentError('It must be the name of an account of this system, such as agenthub.');
  return text;
}

export function numberAboveZero(max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value > 0 && value <= max)) throw new InvalidArgumentError(`It must be a number above 0, at most ${max}.`);
    return value;
  };
}

export function seconds(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= min && value <= max)) throw new InvalidArgumentError(`It must be a number of seconds from ${min} to ${max}.`);
    return value;
  };
}
