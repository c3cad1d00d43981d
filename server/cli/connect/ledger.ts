// What is known about a file when `connect` changes it, so that `--remove` takes back exactly what `--write` added. A
// file that was written by an earlier version has no record; then only what connect certainly wrote is removed.
import { createHash } from 'node:crypto';
import type { Added, FileRecord } from '../client/access/connection-records.ts';

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** `keep` notes what was left in the file, and why. */
export type Ledger = {
  hasRecord: boolean;
  /** Whether connect created the file, so that also what it needs without agenthub is from connect. */
  isNewFile: boolean;
  isOwnToken: (value: string) => boolean;
  /** Whether connect created the member, or one that contains it. */
  isCreated: (path: readonly (string | number)[]) => boolean;
  isAdded: (path: readonly string[], item: unknown) => boolean;
  keep: (what: string) => void;
};

export function ledgerOf(
  record: Pick<FileRecord, 'added' | 'token' | 'isCreated'> | undefined,
  notes: string[] = [],
): Ledger {
  const all = record?.added ?? [];
  const isCreated: Ledger['isCreated'] = (path) =>
    all.some((each) => !('item' in each) && each.path.every((key, index) => path[index] === key));
  return {
    hasRecord: record !== undefined,
    isNewFile: record?.isCreated === true,
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
  if (Array.isArray(before) && Array.isArray(after)) {
    const known = new Set(before.map((item) => JSON.stringify(item)));
    return after.filter((item) => !known.has(JSON.stringify(item))).map((item: unknown) => ({ path: [...path], item }));
  }
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
