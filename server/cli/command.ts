// What a command is, and how the command line learns of it. A command's module is loaded when it runs and
// not before: help and completion need none of them.
import { type Argument, Command, Option } from 'commander';
import type { Reader } from './readers.ts';

export type CommandRow = {
  name: string;
  /** As commander writes them, such as `<alias> [text]`. */
  parameters?: string;
  /** What those of them take that is not any text: the words to choose from, or how one is read. */
  takes?: Readonly<Record<string, Reader | readonly string[]>>;
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

function commandOf({ name, parameters, takes = {}, about, options = [], notes, examples, load }: CommandRow): Command {
  const command = new Command(name).description(about).allowExcessArguments(false);
  if (parameters !== undefined) command.arguments(parameters);
  command.registeredArguments.forEach((argument) => restrict(argument, takes[argument.name()]));
  options.forEach((option) => command.addOption(option));
  return (
    command
      .addHelpText('after', helpAfter(examples, notes))
      // What commander hands over is what `parameters` and `options` say; the table of commands forgot the types.
      .action(async (...given: unknown[]) => (await load())(...(given as never[])))
  );
}

function restrict(argument: Argument, takes: Reader | readonly string[] | undefined): void {
  if (typeof takes === 'function') argument.argParser(takes);
  else if (takes !== undefined) argument.choices(takes);
}

export function helpAfter(examples: readonly string[], notes?: string): string {
  const said = notes === undefined ? '' : `\n${notes}\n`;
  return `${said}\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

export function option(flags: string, about: string, read?: Reader): Option {
  const made = new Option(flags, about);
  return read === undefined ? made : made.argParser(read);
}

/** For what is listed or answered. */
export const OUTPUT = new Option('-o, --output <format>', 'table for people, json for scripts')
  .choices(['table', 'json'])
  .default('table');

export function choice(flags: string, about: string, words: readonly string[]): Option {
  return new Option(flags, about).choices(words);
}
