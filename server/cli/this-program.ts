// The command line that starts this program again.
import { realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { isSea } from 'node:sea';

export function thisProgram(): string[] {
  return isSea() ? [process.execPath] : [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
}

/**
 * The same for a shell, by its name alone if the shell finds it: clients that ask for permission remember only
 * names.
 */
export function programInShell(): string[] {
  const found = programOnPath();
  return found === undefined ? thisProgram() : [basename(found)];
}

/** The path at which the shell finds the executable by its name; undefined if it finds none, or another file. */
export function programOnPath(): string | undefined {
  if (!isSea()) return undefined;
  const name = basename(process.execPath);
  const places = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name));
  const first = places.find((place) => realPath(place) !== undefined);
  return first !== undefined && realPath(first) === realPath(process.execPath) ? first : undefined;
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
