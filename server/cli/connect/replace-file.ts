// Changes files that a person maintains: all of them, or none. Keeps a backup in the same directory, and replaces each
// file atomically.
import {
  accessSync,
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

/** The new text of a file; undefined deletes it. A file with a secret becomes readable only by its owner. */
export type FileChange = { file: string; text: string | undefined; isSecret: boolean };

/** Returns an empty string if the file does not exist. */
export function textOfFile(file: string): string {
  return orExplain(`cannot read ${file}`, () => (existsSync(file) ? readFileSync(file, 'utf8') : ''));
}

/**
 * Returns the path of the backup for each change, or undefined if the file is new, is deleted, or already has this
 * text. `between` runs when nothing is left that usually fails; if it throws, no file changes either.
 */
export function changeFiles(changes: readonly FileChange[], between?: () => void): (string | undefined)[] {
  const undo: (() => void)[] = [];
  try {
    const prepared = changes.map((change) => explained(change, () => prepare(change, undo)));
    between?.();
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
type Prepared = { commit: () => void; backup?: string };

function prepare({ file, text, isSecret }: FileChange, undo: Undo): Prepared {
  const isNew = !existsSync(file);
  if (!isNew) accessSync(file, constants.W_OK);
  if (text === undefined) return { commit: () => rmSync(file, { force: true }) };
  if (isNew) return prepareNew(file, text, isSecret ? 0o600 : 0o644, undo);
  if (readFileSync(file, 'utf8') === text) return { commit: () => {} };
  return prepareChange(realpathSync(file), text, isSecret, undo); // the target of a symbolic link, not the link
}

function prepareNew(file: string, text: string, mode: number, undo: Undo): Prepared {
  const first = mkdirSync(dirname(file), { recursive: true });
  if (first !== undefined) undo.push(() => rmSync(first, { recursive: true, force: true }));
  const draft = writeDraft(file, text, mode, undo);
  const commit = () => {
    renameSync(draft, file);
    undo.push(() => rmSync(file, { force: true }));
  };
  return { commit };
}

function prepareChange(file: string, text: string, isSecret: boolean, undo: Undo): Prepared {
  const mode = statSync(file).mode & (isSecret ? 0o700 : 0o777);
  const draft = writeDraft(file, text, mode, undo);
  const backup = unusedName(`${file}.backup`);
  undo.push(() => rmSync(backup, { force: true }));
  copyFileSync(file, backup, constants.COPYFILE_EXCL);
  const commit = () => {
    renameSync(draft, file);
    undo.push(() => copyFileSync(backup, file));
  };
  return { commit, backup };
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
