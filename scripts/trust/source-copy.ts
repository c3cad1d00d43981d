// A copy of the source tree with some lines changed, and the command that runs it.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../build/step.ts';
import type { Command } from '../support/process.ts';

/** `find` must occur in the file exactly once, or the change would prove nothing. */
export type Change = { file: string; find: string; put: string };

const MAIN = 'server/main.ts';

/** Writes the copy into an empty directory. */
export function copySource(directory: string, changes: readonly Change[], from = ROOT): Command {
  mkdirSync(directory, { recursive: true });
  cpSync(join(from, 'server'), join(directory, 'server'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  for (const change of changes) apply(directory, change);
  return {
    file: process.execPath,
    args: ['--experimental-import-text', '--disable-warning=ExperimentalWarning', join(directory, MAIN)],
  };
}

/** The directory of the copy that the command runs, or else of the source. */
export function sourceOf({ args }: Command): string {
  const main = args.at(-1) ?? '';
  return main.endsWith(`/${MAIN}`) ? main.slice(0, -MAIN.length) : ROOT;
}

function apply(directory: string, { file, find, put }: Change): void {
  const path = join(directory, file);
  const parts = readFileSync(path, 'utf8').split(find);
  if (parts.length !== 2) throw new Error(`${file} contains ${parts.length - 1} times: ${find}`);
  writeFileSync(path, parts.join(put));
}
