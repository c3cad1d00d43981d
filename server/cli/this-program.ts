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
  const name = basename(process.execPath);
  return isSea() && isFound(name) ? [name] : thisProgram();
}

function isFound(name: string): boolean {
  const places = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, name));
  const first = places.flatMap((place) => realPath(place) ?? [])[0];
  return first !== undefined && first === realPath(process.execPath);
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
