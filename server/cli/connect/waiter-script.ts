// agenthub-wake: a script in the directory of the program that waits for mail and can do nothing else. A client that
// allows commands by their name, with any arguments, can allow this one without a question.
import { accessSync, constants, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { programOnPath } from '../this-program.ts';
import { contentOfFile } from './replace-file.ts';

export const WAITER = 'agenthub-wake';

/** Also part of the Debian package. `--session` refuses `--exec`, which would run any program. */
export const WAITER_SCRIPT = `#!/bin/sh
# Waits for the mail of an agent and can do nothing else. Written by agenthub.
exec "$(dirname "$0")/agenthub" wake --session "$@"
`;

/** Also in the scripts of other versions. */
const MARK = 'Written by agenthub.';

/** The script, if the shell finds it by its name. */
export function installedWaiter(): string | undefined {
  const file = waiterFile();
  return file !== undefined && contentOfFile(file).includes(MARK) ? file : undefined;
}

/** Where `connect` writes the script; undefined if the shell would not find it there, or it must not be written. */
export function writableWaiter(): string | undefined {
  const file = waiterFile();
  if (file === undefined || existsSync(file)) return installedWaiter();
  return isWritable(dirname(file)) ? file : undefined;
}

/** In the directory where the shell finds the program, which may be a link. The script calls it by its name. */
function waiterFile(): string | undefined {
  const program = programOnPath();
  return program !== undefined && basename(program) === 'agenthub' ? join(dirname(program), WAITER) : undefined;
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
