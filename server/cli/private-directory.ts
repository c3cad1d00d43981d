// A directory of the owner alone, made where it is missing.
import { accessSync, constants, mkdirSync } from 'node:fs';
import { StartError } from '../domain/errors.ts';

/** From here on every file that the process makes is its owner's alone. */
export function makeDirectory(path: string): void {
  process.umask(0o077);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(`cannot write the data directory ${path} (${reasonOf(error)}); choose another with --data`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
