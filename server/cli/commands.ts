// The one table of all commands, by heading. A command is named by a noun and a verb, such as `task send`; some also
// have a short form of one word, which runs the same implementation with the same options.
import type { Command } from 'commander';
import { CLIENT_COMMANDS } from './client/commands.ts';
import { type CommandFamily, type CommandRow, commandOf, familyOf } from './command.ts';
import { OPERATOR_COMMANDS } from './operator-commands.ts';

type Entry = CommandRow | CommandFamily;

/** `words` is the full name, without that of the program. */
export type NamedRow = CommandRow & { words: string; family?: CommandFamily };

/** The headings of `agenthub --help` with the commands under each, in order. */
export const HEADINGS: readonly (readonly [heading: string, rows: readonly NamedRow[]])[] = [
  ...Object.entries(OPERATOR_COMMANDS),
  ...Object.entries(CLIENT_COMMANDS),
].map(([heading, entries]) => [heading, entries.flatMap(rowsOf)] as const);

export const ROWS: readonly NamedRow[] = HEADINGS.flatMap(([, rows]) => rows);

export function rowsOf(entry: Entry): NamedRow[] {
  if (!('commands' in entry)) return [{ ...entry, words: entry.name }];
  return entry.commands.map((row) => ({ ...row, words: `${entry.name} ${row.name}`, family: entry }));
}

/** The commands that have a short form other than the name of their family, which needs no further command. */
export const WITH_SHORT_FORM = ROWS.filter(({ short, family }) => short !== undefined && short !== family?.name);

/** All first words: those of commands and families, and the short forms. */
export const FIRST_WORDS: readonly string[] = [
  ...new Set(ROWS.map(({ family, name }) => family?.name ?? name)),
  ...WITH_SHORT_FORM.flatMap(({ short }) => short ?? []),
];

/** The command of a family that runs if the second word is none of its verbs. */
export function defaultVerbOf(family: string): NamedRow | undefined {
  return ROWS.find(({ short, family: own }) => own?.name === family && short === family);
}

/**
 * Adds those with this first word, or all. All take 4 ms. Help does not list short forms as commands: it names each
 * with its command.
 */
export function addCommands(program: Command, firstWord?: string): void {
  const isNeeded = (word: string) => firstWord === undefined || firstWord === word;
  for (const [heading, rows] of HEADINGS)
    for (const { family, ...row } of rows) {
      if (!isNeeded(family?.name ?? row.name)) continue;
      if (family === undefined)
        program.addCommand(commandOf(row).helpGroup(heading), { isDefault: row.name === 'serve' });
      else if (!program.commands.some((known) => known.name() === family.name))
        program.addCommand(wholeFamily(family).helpGroup(heading));
    }
  for (const row of WITH_SHORT_FORM)
    if (isNeeded(row.short ?? '')) program.addCommand(shortForm(row), { hidden: true });
}

/** Parts of a family can be under several headings. */
function wholeFamily({ name, about }: CommandFamily): Command {
  const rows = HEADINGS.flatMap(([heading, rows]) => rows.map((row) => ({ ...row, heading })));
  const own = rows.filter(({ family }) => family?.name === name);
  const command = familyOf({ name, about, commands: own });
  command.commands.forEach((each, index) => each.helpGroup(own[index]?.heading ?? ''));
  return command;
}

function shortForm({ short = '', words, notes, ...row }: NamedRow): Command {
  const hint = `Short for agenthub ${words}.`;
  return commandOf({ ...row, name: short, notes: notes === undefined ? hint : `${notes}\n\n${hint}` });
}
