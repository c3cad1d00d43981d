// Turns configuration keys into command options, and reads the configuration from these options, the environment and
// the file.
import type { Option } from 'commander';
import { type Effective, type Examined, examine, readDataDirectory, readEffective } from '../config/config.ts';
import { flagOf, KEYS, type Key, type KeyName, variableOf } from '../config/keys.ts';
import { option } from './command.ts';

/** The options as commander passes them: `--offline-after-seconds` as offlineAfterSeconds. */
export type GivenOptions = Readonly<Record<string, string | true>>;

/** Returns options for the named keys, or for all keys if none are named. */
export function keyOptions(...names: readonly KeyName[]): Option[] {
  const rows = Object.entries<Key>(KEYS).filter(
    ([name]) => names.length === 0 || names.some((named) => named === name),
  );
  return rows.map(([name, { about, placeholder, fallback, alias, isSwitch, isList }]) => {
    const flags = alias === undefined ? flagOf(name) : `${alias}, ${flagOf(name)}`;
    const value = isSwitch ? `[${placeholder}]` : `<${placeholder}>`;
    const made = option(`${flags} ${value}`, `${about} (default: ${fallback || 'none'}; ${variableOf(name)})`);
    return isList ? made.argParser(joined) : made;
  });
}

/** A list can be given with commas, and with a flag for each item. */
function joined(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`;
}

/** Throws a ConfigError if the configuration is invalid. */
export function effectiveConfig(options: GivenOptions): Effective {
  return readEffective({ flags: snakeCased(options), env: process.env });
}

/** All problems and warnings of the configuration at once. Throws nothing. */
export function examinedConfig(options: GivenOptions): Examined {
  return examine({ flags: snakeCased(options), env: process.env });
}

/** Reads only the data directory. Throws a ConfigError if it is invalid. */
export function dataDirectoryOf(options: GivenOptions): string {
  return readDataDirectory({ flags: snakeCased(options), env: process.env });
}

function snakeCased(options: GivenOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      String(value), // a switch without a value is true
    ]),
  );
}
