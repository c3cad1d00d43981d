// The tables of commands and exit codes.
import { CLIENT_COMMANDS } from '../../server/cli/client/commands.ts';
import type { CommandFamily, CommandRow } from '../../server/cli/command.ts';
import { EXIT_MEANINGS } from '../../server/cli/exit-codes.ts';
import { OPERATOR_COMMANDS } from '../../server/cli/operator-commands.ts';
import { table } from './markdown.ts';

export function commandTable(): string {
  const groups = [...Object.entries(OPERATOR_COMMANDS), ...Object.entries(CLIENT_COMMANDS)];
  const rows = groups.flatMap(([, entries]) => entries.flatMap(rowsOf));
  return table(['command', 'does'], rows);
}

function rowsOf(entry: CommandRow | CommandFamily): string[][] {
  return 'commands' in entry ? entry.commands.map((command) => row(command, entry.name)) : [row(entry)];
}

function row({ name, parameters = '', about }: CommandRow, family = ''): string[] {
  return [`\`${['agenthub', family, name, parameters].filter((word) => word !== '').join(' ')}\``, about];
}

export function exitCodes(): string {
  return table(
    ['code', 'means'],
    EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]),
  );
}
