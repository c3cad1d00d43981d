// Changes files that a person maintains: all of them, or none. Keeps a backup, and replaces each file atomically. A
// symbolic link stays, and its target changes.
import { isUtf8 } from 'node:buffer';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CommandError } from '../exit-codes.ts';
import { writeBackup } from './backups.ts';

/**
 * The new text of a file; undefined deletes it. A file with a secret becomes readable only by its owner. `isOurs`: the
 * file has nothing that a person would miss, so it needs no backup. `isProgram`: everybody may run it. `mode`: of a
 * file that exists, instead of what it has.
 */
export type FileChange = {
  file: string;
  text: string | undefined;
  isSecret: boolean;
  isOurs?: boolean;
  isProgram?: boolean;
  mode?: number | undefined;
};

/** Empty if the file does not exist. */
export function contentOfFile(file: string): Buffer {
  return orExplain(`cannot read ${file}`, () => {
    try {
      return readFileSync(file);
    } catch (error) {
      if (error instanceof Error && 'code' in error && MISSING.has(error.code)) return Buffer.of();
      throw error;
    }
  });
}

/** A file in a directory that cannot be read may exist. */
const MISSING = new Set<unknown>(['ENOENT', 'ENOTDIR']);

/** Empty if the file does not exist. Other encodings than UTF-8 are refused: decoding would replace bytes. */
export function textOfFile(file: string): string {
  const content = contentOfFile(file);
  if (isUtf8(content)) return content.toString();
  throw new CommandError(`${file} was not changed: it is not valid UTF-8; convert it to UTF-8, and run this again`);
}

/** The path without symbolic links, also of a file or a target that does not exist. */
export function targetOf(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  const target = linkTarget(file);
  if (target !== undefined) return targetOf(resolve(dirname(file), target));
  return dirname(file) === file ? file : join(targetOf(dirname(file)), basename(file));
}

function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

/** `directory` is the first that had to be created for the file; it may have been several, one in the other. */
export type Preparation = { backup?: string | undefined; directory?: string | undefined };

/**
 * Returns the path of the backup for each change, or undefined if the file is new, is ours, or already has this text.
 * `between` runs when nothing is left that usually fails; if it throws, no file changes either.
 */
export function changeFiles(
  changes: readonly FileChange[],
  between?: (prepared: readonly Preparation[]) => void,
): (string | undefined)[] {
  const undo: (() => void)[] = [];
  try {
    const prepared = changes.map((change) => explained(change, () => prepare(change, undo)));
    between?.(prepared);
    return prepared.map(({ commit, backup }, index) => {
      explained(changes[index], commit);
      return backup;
    });
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw error;
  }
}

type Undo = (() => void)[];
type Prepared = Preparation & { commit: () => void };

const UNCHANGED: Prepared = { commit: () => {} };

function prepare(change: FileChange, undo: Undo): Prepared {
  const { file: path, text, isSecret, isOurs = false, isProgram = false } = change;
  const file = targetOf(path);
  if (!existsSync(file))
    return text === undefined ? UNCHANGED : prepareNew(file, text, modeFor(isSecret, isProgram), undo);
  accessSync(file, constants.W_OK);
  const content = readFileSync(file);
  if (text !== undefined && content.equals(Buffer.from(text))) return UNCHANGED;
  const backup = isOurs ? undefined : backUp(file, content, undo);
  if (text === undefined) return { backup, commit: () => commitDeletion(file, { content, undo }) };
  const mode = change.mode ?? statSync(file).mode & (isSecret ? 0o700 : 0o777);
  const draft = writeDraft(file, text, mode, undo);
  const commit = () => {
    renameSync(draft, file);
    undo.push(() => writeFileSync(file, content));
  };
  return { commit, backup };
}

function modeFor(isSecret: boolean, isProgram: boolean): number {
  if (isProgram) return 0o755;
  return isSecret ? 0o600 : 0o644;
}

function commitDeletion(file: string, { content, undo }: { content: Buffer; undo: Undo }): void {
  const { mode } = statSync(file);
  rmSync(file);
  undo.push(() => writeFileSync(file, content, { mode }));
}

function backUp(file: string, content: Buffer, undo: Undo): string {
  const backup = writeBackup(file, content);
  undo.push(() => rmSync(backup, { force: true }));
  return backup;
}

function prepareNew(file: string, text: string, mode: number, undo: Undo): Prepared {
  const first = mkdirSync(dirname(file), { recursive: true });
  if (first !== undefined) undo.push(() => rmSync(first, { recursive: true, force: true }));
  const draft = writeDraft(file, text, mode, undo);
  const commit = () => {
    renameSync(draft, file);
    undo.push(() => rmSync(file, { force: true }));
  };
  return { commit, directory: first };
}

/** Those above the file, from the given one downwards. */
export function directoriesAbove(file: string, first: string): string[] {
  const directory = dirname(file);
  return directory.startsWith(first) ? [directory, ...directoriesAbove(directory, first)] : [];
}

/** Each that has nothing in it, also because an inner one was removed. */
export function removeEmptyDirectories(directories: Iterable<string>): void {
  for (const directory of [...new Set(directories)].sort((one, other) => other.length - one.length)) {
    try {
      rmdirSync(directory);
    } catch {} // not empty, gone, or not to be changed
  }
}

function writeDraft(file: string, text: string, mode: number, undo: Undo): string {
  const draft = unusedName(`${file}.new`);
  undo.push(() => rmSync(draft, { force: true }));
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  chmodSync(draft, mode);
  return draft;
}

function unusedName(start: string): string {
  let number = 1;
  while (existsSync(`${start}-${number}`)) number++;
  return `${start}-${number}`;
}

function explained<Result>(change: FileChange | undefined, work: () => Result): Result {
  return orExplain(`nothing was changed, because ${change?.file} cannot be written`, work);
}

function orExplain<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    throw new CommandError(`${what} (${reason}); change its permissions, or add the hub there by hand`);
  }
}
