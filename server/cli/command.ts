// Builds commander commands from the command tables. The module of a command is loaded when the command runs, so that
// help and completion load none of them.
import { type Argument, Command, Option } from 'commander';
import { hubAddress, name as nameText, type Reader } from './readers.ts';

export type CommandRow = {
  name: string;
  /** In the syntax of commander, such as `<alias> [text]`. */
  parameters?: string;
  /** The parameters that do not accept any text: their choices, or their reader. */
  takes?: Readonly<Record<string, Reader | readonly string[]>>;
  about: string;
  options?: readonly Option[];
  /** Additional help text, in full sentences. */
  notes?: string;
  examples: readonly string[];
  /** Loads the implementation, which receives the parameters, the options and commander's command. */
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
      // Commander passes what `parameters` and `options` define; the table of commands has no types for it.
      .action(async (...given: unknown[]) => (await load())(...(given as never[])))
  );
}

function restrict(argument: Argument, takes: Reader | readonly string[] | undefined): void {
  if (typeof takes === 'function') argument.argParser(takes);
  else if (takes !== undefined) argument.choices(takes);
}

export function helpAfter(examples: readonly string[], notes?: string): string {
  const details = notes === undefined ? '' : `\n${notes}\n`;
  return `${details}\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

export function option(flags: string, about: string, read?: Reader): Option {
  const created = new Option(flags, about);
  return read === undefined ? created : created.argParser(read);
}

/** For commands that print a list or a response. */
export const OUTPUT = new Option('-o, --output <format>', 'table for people, json for scripts')
  .choices(['table', 'json'])
  .default('table');

/** For commands that delete something, and ask on a terminal. */
export const YES = option('-y, --yes', 'do not ask for confirmation');

/** For commands that act as an agent. */
export const ALIAS = option('--alias <alias>', 'alias of the agent', nameText).makeOptionMandatory();

/** For commands that run without a person, in hooks and background shells. */
export const HUB_URL = option('--url <url>', 'address of the hub (default: the hub in use)', hubAddress).conflicts([
  'hub',
  'data',
]);

export function choice(flags: string, about: string, words: readonly string[]): Option {
  return new Option(flags, about).choices(words);
}
