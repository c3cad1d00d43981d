// The table of configuration keys.
import { KEYS } from '../../server/config/keys.ts';
import { table } from './table.ts';

export function configurationTable(): string {
  const rows = Object.entries(KEYS).map(([key, { fallback, about, placeholder }]) => [
    `\`${key}\``,
    placeholder,
    fallback === '' ? '' : `\`${fallback}\``,
    about,
  ]);
  return table(['key', 'value', 'default', 'meaning'], rows);
}
