// What `connect --write` added to the files of a person, so that `--remove` takes back exactly that. A file that was
// written by an earlier version has no record; then only what connect certainly wrote is removed.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { configurationDirectory, textIn, writePrivate } from '../client/access/private-file.ts';
import { CommandError } from '../exit-codes.ts';

/** A member that did not exist before, or an item of a list. */
const added = v.object({ path: v.array(v.string()), item: v.optional(v.unknown()) });
export type Added = v.InferOutput<typeof added>;

const fileRecord = v.object({
  /** The connections that use the file, such as `claude/project`. */
  owners: v.array(v.string()),
  isCreated: v.boolean(),
  /** The backup of the file as it was before the first write, if nothing but connect has changed it since. */
  original: v.optional(v.string()),
  /** The hash of the text that connect wrote last. */
  written: v.string(),
  /** The hash of the token that connect wrote for the environment of the client. */
  token: v.optional(v.string()),
  added: v.array(added),
});
export type FileRecord = v.InferOutput<typeof fileRecord>;

const fileRecords = v.record(v.string(), fileRecord);
export type FileRecords = v.InferOutput<typeof fileRecords>;

export function recordsFile(): string {
  return join(configurationDirectory(), 'connections.json');
}

/** By the path of the file, after symbolic links. */
export function readRecords(): FileRecords {
  const text = textIn(recordsFile());
  if (text === undefined) return {};
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), fileRecords), text);
  if (!result.success)
    throw new CommandError(`cannot read ${recordsFile()}; delete it, and run agenthub connect again`);
  return result.output;
}

export function writeRecords(records: FileRecords): void {
  if (Object.keys(records).length > 0) writePrivate(recordsFile(), records);
  else rmSync(recordsFile(), { force: true });
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What is known about a file while it is edited. `keep` notes what was left there, and why. */
export type Ledger = {
  hasRecord: boolean;
  isOwnToken: (value: string) => boolean;
  /** Whether connect created the member, or one that contains it. */
  isCreated: (path: readonly (string | number)[]) => boolean;
  isAdded: (path: readonly string[], item: unknown) => boolean;
  keep: (what: string) => void;
};

export function ledgerOf(record: Pick<FileRecord, 'added' | 'token'> | undefined, notes: string[] = []): Ledger {
  const all = record?.added ?? [];
  const isCreated: Ledger['isCreated'] = (path) =>
    all.some((each) => !('item' in each) && each.path.every((key, index) => path[index] === key));
  return {
    hasRecord: record !== undefined,
    isOwnToken: (value) => record?.token === hashOf(value),
    isCreated,
    isAdded: (path, item) => isCreated(path) || all.some((each) => isSame(each, { path: [...path], item })),
    keep: (what) => notes.push(what),
  };
}

/** An emptied parent goes too, unless it was there before. */
export function mayRemove({ hasRecord, isCreated }: Ledger): (path: readonly (string | number)[]) => boolean {
  return (path) => !hasRecord || isCreated(path);
}

/** The members and items that `after` has and `before` does not. */
export function additions(before: unknown, after: unknown, path: readonly string[] = []): Added[] {
  if (Array.isArray(before) && Array.isArray(after))
    return after
      .filter((item) => !before.some((other) => isSame(other, item)))
      .map((item: unknown) => ({ path: [...path], item }));
  if (!isObject(before) || !isObject(after)) return [];
  return Object.entries(after).flatMap(([key, value]) =>
    Object.hasOwn(before, key) ? additions(Object(before)[key], value, [...path, key]) : [{ path: [...path, key] }],
  );
}

export function withAdditions(known: readonly Added[], more: readonly Added[]): Added[] {
  return [...known, ...more.filter((each) => !known.some((other) => isSame(each, other)))];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
