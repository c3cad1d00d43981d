// Builds commander commands from the command tables. The module of a command is loaded when the command runs, so that
// help and completion load none of them.
import { type Argument, Command, InvalidArgumentError, Option } from 'commander';
import * as fields from '../domain/fields.ts';
import { MAX_IDEMPOTENCY_KEY } from '../domain/limits.ts';
import { details, FIXED_SPACE, HELP_LAYOUT } from './help.ts';
import { hubAddress, name as nameText, type Reader, taking } from './readers.ts';

export type CommandRow = {
  name: string;
  /**
   * The one-word form of a command of a family, such as `send` for `task send`. If it is the name of the family, the
   * family runs this command unless its second word is another one.
   */
  short?: string;
  /** In the syntax of commander, such as `<alias> [text]`. */
  parameters?: string;
  /** The parameters that do not accept any text: their choices, or their reader. */
  takes?: Readonly<Record<string, Reader | readonly string[]>>;
  /** What to add to the error if a parameter is none of its choices. */
  hint?: (value: string) => string | undefined;
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

export function familyOf({ name, about, commands }: CommandFamily): Command {
  const family = newCommand(name, about);
  commands.forEach((row) => family.addCommand(commandOf(row), { isDefault: row.short === name }));
  return family.addHelpText('after', () =>
    details({ examples: commands.flatMap(({ examples }) => examples.slice(0, 1)) }),
  );
}

export function commandOf({
  name,
  short,
  parameters,
  takes = {},
  hint,
  about,
  options = [],
  ...row
}: CommandRow): Command {
  const command = newCommand(name, about).allowExcessArguments(false);
  if (short !== undefined) command.summary(`${about} (short:${FIXED_SPACE}${short})`);
  if (parameters !== undefined) command.arguments(parameters);
  command.registeredArguments.forEach((argument) => restrict(argument, takes[argument.name()], hint));
  options.forEach((option) => command.addOption(option));
  return (
    command
      .addHelpText('after', () => details({ short, ...row }))
      // Commander passes what `parameters` and `options` define; the table of commands has no types for it.
      .action(async (...given: unknown[]) => (await row.load())(...(given as never[])))
  );
}

export function newCommand(name: string, about: string): Command {
  return new Command(name).description(about).configureHelp(HELP_LAYOUT);
}

/** Errors of commander become one line that names the help of the command. */
export function reportInOneLine(command: Command, onUsageError: (line: string) => void, ...words: string[]): void {
  const usage = ['agenthub', ...words, '--help'].join(' ');
  command.exitOverride().configureOutput({
    outputError: (text) =>
      onUsageError(
        `${clipped(
          text
            .replace(/^error: /, '')
            .trim()
            .replace(/\s+/g, ' '),
        )} (see ${usage})`,
      ),
  });
  command.commands.forEach((each) => reportInOneLine(each, onUsageError, ...words, each.name()));
}

// A long invalid value would fill the screen.
function clipped(line: string): string {
  return line.replace(/'([^']{60})[^']{20,}'/g, "'$1…'");
}

function restrict(
  argument: Argument,
  takes: Reader | readonly string[] | undefined,
  hint: CommandRow['hint'] = () => undefined,
): void {
  if (typeof takes === 'function') argument.argParser(takes);
  else if (takes !== undefined) argument.choices(takes).argParser((value: string) => choiceOf(takes, value, hint));
}

function choiceOf(choices: readonly string[], value: string, hint: NonNullable<CommandRow['hint']>): string {
  if (choices.includes(value)) return value;
  throw new InvalidArgumentError([`Allowed choices are ${choices.join(', ')}.`, hint(value) ?? ''].join(' ').trim());
}

export function option(flags: string, about: string, read?: Reader): Option {
  const created = new Option(flags, about);
  return read === undefined ? created : created.argParser(read);
}

/** For commands that print a list or a response. */
export const OUTPUT = new Option('-o, --output <format>', 'table for people, json for scripts')
  .choices(['table', 'json'])
  .default('table');

/** For commands that delete something. They ask, and without a terminal they require this. */
export const YES = option('-y, --yes', 'do not ask for confirmation; required without a terminal');

/** For commands that act as an agent. */
export const ALIAS = option('--alias <alias>', 'alias of the agent', nameText).makeOptionMandatory();

/** For commands that send something. */
export const FROM = option('--from <alias>', 'sender (default: hub)', nameText);
export const KEY = option(
  '--idempotency-key <key>',
  'idempotency key; a second call with the same key within 24 hours returns the first result, and a hub that cannot be reached is tried for 10 seconds',
  taking(fields.text(MAX_IDEMPOTENCY_KEY, 1)),
);
export const TEXT_FROM_INPUT = 'If TEXT is -, it is read from standard input.';

/** For commands that run without a person, in hooks and background shells; `agenthub connect` writes it. */
export const HUB_URL = option(
  '--url <url>',
  'address of the hub, as --hub (default: the hub in use)',
  hubAddress,
).conflicts(['hub', 'data']);

export function choice(flags: string, about: string, words: readonly string[]): Option {
  return new Option(flags, about).choices(words);
}
