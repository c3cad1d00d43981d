// The keys of the configuration as options of a command, and the configuration that they, the environment and the file
// make.
import type { Option } from 'commander';
import { type Effective, readDataDirectory, readEffective } from '../config/config.ts';
import { flagOf, KEYS, type Key, type KeyName, variableOf } from '../config/keys.ts';
import { option } from './command.ts';

/** What commander hands over: `--offline-after-seconds` as offlineAfterSeconds. */
export type GivenOptions = Readonly<Record<string, string>>;

/** Those of every key, or of the keys that are named. */
export function keyOptions(...names: readonly KeyName[]): Option[] {
  const rows = Object.entries<Key>(KEYS).filter(
    ([name]) => names.length === 0 || names.some((named) => named === name),
  );
  return rows.map(([name, { about, placeholder, fallback, alias }]) => {
    const flags = alias === undefined ? flagOf(name) : `${alias}, ${flagOf(name)}`;
    return option(`${flags} <${placeholder}>`, `${about} (default: ${fallback || 'none'}; ${variableOf(name)})`);
  });
}

/** Throws a ConfigError for the first thing that is wrong. */
export function effectiveConfig(options: GivenOptions): Effective {
  return readEffective({ flags: snakeCased(options), env: process.env });
}

/** The data directory alone. Throws a ConfigError when that is wrong. */
export function dataDirectoryOf(options: GivenOptions): string {
  return readDataDirectory({ flags: snakeCased(options), env: process.env });
}

function snakeCased(options: GivenOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
