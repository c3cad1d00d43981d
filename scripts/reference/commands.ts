// The tables of commands and exit codes.
import { ROWS } from '../../server/cli/commands.ts';
import { EXIT_MEANINGS } from '../../server/cli/exit-codes.ts';
import { table } from './markdown.ts';

export function commandTable(): string {
  const rows = ROWS.map(({ words, parameters, short, about }) => [
    `\`${['agenthub', words, parameters].filter((part) => part !== undefined).join(' ')}\``,
    short === undefined ? '' : `\`agenthub ${short}\``,
    about,
  ]);
  return table(['command', 'short form', 'does'], rows);
}

export function exitCodes(): string {
  return table(
    ['code', 'means'],
    EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]),
  );
}
