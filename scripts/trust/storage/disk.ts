// A disk as a power cut would leave it. A write is certain once an fsync of its file followed, and creating or deleting
// a file once an fsync of its directory did. Before that, each may have happened or not.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Operation } from './trace.ts';

export type Disk = {
  apply(operation: Exclude<Operation, { kind: 'say' }>): void;
  /** The content of a file after a power cut now. `keep` is how many bytes of each unsynced write are kept. */
  imageOf(name: string, keep: (size: number) => number): Uint8Array | undefined;
  /** Whether the recorded writes add up to the database files of this directory. */
  isSameAs(directory: string): boolean;
};

type Edit = { at: number; bytes: Uint8Array } | { truncateTo: number };
type File = { synced: Bytes; unsynced: Edit[] };
type Bytes = { content: Uint8Array; size: number };

/** Of one directory. */
export function openDisk(directory: string): Disk {
  const files = new Map<string, File>();
  let syncedNames = new Map<string, File>();
  const fileAt = (name: string): File => {
    const found = files.get(name) ?? { synced: empty(), unsynced: [] };
    files.set(name, found);
    return found;
  };
  return {
    apply: (operation) => {
      if (operation.kind === 'sync' && operation.path === directory) syncedNames = new Map(files);
      if (dirname(operation.path) !== directory) return;
      applyTo(fileAt, files, basename(operation.path), operation);
    },
    imageOf: (name, keep) => {
      const file = syncedNames.get(name);
      return file === undefined ? undefined : imageOf(file, keep);
    },
    isSameAs: (other) =>
      [...files]
        .filter(([name]) => /\.db(-wal)?$/.test(name))
        .every(([name, file]) => {
          return Buffer.from(imageOf(file, (size) => size)).equals(readFileSync(join(other, name)));
        }),
  };
}

function applyTo(
  fileAt: (name: string) => File,
  files: Map<string, File>,
  name: string,
  operation: Exclude<Operation, { kind: 'say' }>,
): void {
  if (operation.kind === 'create') fileAt(name);
  else if (operation.kind === 'remove') files.delete(name);
  else if (operation.kind === 'write') fileAt(name).unsynced.push({ at: operation.at, bytes: operation.bytes });
  else if (operation.kind === 'truncate') fileAt(name).unsynced.push({ truncateTo: operation.size });
  else sync(fileAt(name));
}

function sync(file: File): void {
  for (const edit of file.unsynced.splice(0)) make(file.synced, edit, Infinity);
}

function imageOf({ synced, unsynced }: File, keep: (size: number) => number): Uint8Array {
  if (unsynced.length === 0) return synced.content.subarray(0, synced.size);
  const image: Bytes = { content: synced.content.slice(), size: synced.size };
  for (const edit of unsynced) make(image, edit, keep('bytes' in edit ? edit.bytes.length : 1));
  return image.content.subarray(0, image.size);
}

function make(target: Bytes, edit: Edit, kept: number): void {
  if (kept === 0) return;
  if ('truncateTo' in edit) return void (target.size = Math.min(target.size, edit.truncateTo));
  const bytes = edit.bytes.subarray(0, kept);
  grow(target, edit.at + bytes.length);
  target.content.set(bytes, edit.at);
}

function empty(): Bytes {
  return { content: new Uint8Array(64 * 1024), size: 0 };
}

function grow(target: Bytes, size: number): void {
  if (size > target.content.length) {
    const larger = new Uint8Array(Math.max(size, target.content.length * 2));
    larger.set(target.content.subarray(0, target.size));
    target.content = larger;
  }
  if (size > target.size) target.content.fill(0, target.size, size);
  target.size = Math.max(target.size, size);
}
