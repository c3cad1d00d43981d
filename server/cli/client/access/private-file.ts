// Files of agenthub in the user's configuration directory that only their owner can read.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError, notSignedIn } from '../../exit-codes.ts';
import { homeDirectory } from '../../home.ts';

const { env } = process;

export function configurationDirectory(): string {
  const home = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(homeDirectory(), '.config');
  return join(home, 'agenthub');
}

/** Returns undefined if the file does not exist. */
export function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw notSignedIn(`cannot read ${file} (${error instanceof Error ? error.message : 'unknown reason'})`);
  }
}

/** Writes the value as JSON. */
export function writePrivate(file: string, value: object): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Renaming is atomic: a reader sees the old file or the new one.
    writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new CommandError(
      `cannot write ${file} (${error instanceof Error ? error.message : 'unknown reason'}); set XDG_CONFIG_HOME to use another directory`,
    );
  }
}
