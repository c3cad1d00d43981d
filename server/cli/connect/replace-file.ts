// Replaces a file that a person maintains. Keeps a backup in the same directory, and replaces the file atomically.
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CommandError } from '../exit-codes.ts';

/** Returns an empty string if the file does not exist. */
export function textOfFile(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/**
 * Returns the path of the backup, or undefined if the file is new or already has this text. A file with a secret
 * becomes readable only by its owner.
 */
export function replaceFile(file: string, text: string, { isSecret }: { isSecret: boolean }): string | undefined {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return undefined;
  return orExplain(`cannot write ${file}`, () => replace(file, text, isSecret));
}

function orExplain<Result>(what: string, change: () => Result): Result {
  try {
    return change();
  } catch (error) {
    throw new CommandError(`${what} (${error instanceof Error ? error.message : 'unknown reason'})`);
  }
}

function replace(file: string, text: string, isSecret: boolean): string | undefined {
  mkdirSync(dirname(file), { recursive: true });
  const isNew = !existsSync(file);
  // Replaces the target of a symbolic link, not the link.
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

/** Deletes a file of which nothing is left. Returns its path. */
export function deleteFile(file: string): string {
  orExplain(`cannot delete ${file}`, () => rmSync(file));
  return file;
}
