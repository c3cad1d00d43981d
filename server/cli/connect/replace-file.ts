// Replaces a file that a person keeps: the old one stays beside it as a backup, and at no moment is there half a file.
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CommandError } from '../exit-codes.ts';

/** Empty when there is no file. */
export function textOfFile(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/**
 * Answers the backup's path, if there was something to keep; a file that says the same already is left alone. One that
 * holds a secret becomes its owner's alone.
 */
export function replaceFile(file: string, text: string, { isSecret }: { isSecret: boolean }): string | undefined {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return undefined;
  try {
    return replace(file, text, isSecret);
  } catch (error) {
    throw new CommandError(`cannot write ${file} (${error instanceof Error ? error.message : 'unknown reason'})`);
  }
}

function replace(file: string, text: string, isSecret: boolean): string | undefined {
  mkdirSync(dirname(file), { recursive: true });
  const isNew = !existsSync(file);
  // What a link points to is replaced, not the link.
  const real = isNew ? file : realpathSync(file);
  const backup = isNew ? undefined : keepBackup(real);
  const mode = isNew ? 0o644 : statSync(real).mode & 0o777;
  writeFileSync(`${real}.new`, text, { mode: 0o600 });
  chmodSync(`${real}.new`, isSecret ? mode & 0o700 : mode);
  renameSync(`${real}.new`, real);
  return backup;
}

function keepBackup(file: string): string {
  let number = 1;
  while (existsSync(`${file}.backup-${number}`)) number++;
  const backup = `${file}.backup-${number}`;
  copyFileSync(file, backup, constants.COPYFILE_EXCL);
  return backup;
}
