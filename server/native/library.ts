// Loads a native library from its bytes. The system loads libraries only from files, and a process that can change the
// file could run code as this user. On Linux the file is unlinked and held only by this process; elsewhere it is in a
// directory that only this user can access.
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const CHUNK_BYTES = 1 << 20;

/** Linux: the file is unlinked before the first byte is written; the loader opens it through the file descriptor. */
export function loadNameless(directory: string, library: Uint8Array): unknown {
  const file = openNameless(directory);
  try {
    writeFileSync(file, library);
    if (!contains(file, library)) throw new Error('the file does not contain the data written to it');
    return load(`/proc/self/fd/${file}`);
  } finally {
    closeSync(file);
  }
}

/** Other systems: a loaded library must keep its file, so there is one file per content, shared by all instances. */
export function loadNamed(directory: string, library: Uint8Array): unknown {
  const path = join(ownDirectory(directory), `${createHash('sha256').update(library).digest('hex')}.node`);
  if (!existsSync(path) || !readFileSync(path).equals(library)) replace(path, library);
  return load(path);
}

function openNameless(directory: string): number {
  const own = mkdtempSync(join(directory, 'agenthub-'));
  const path = join(own, 'library.node');
  try {
    const file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return file;
  } finally {
    rmdirSync(own);
  }
}

/** Compares in chunks: a second copy of ten megabytes would stay in memory until the next garbage collection. */
function contains(file: number, expected: Uint8Array): boolean {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; at < expected.length; at += CHUNK_BYTES) {
    const read = readSync(file, chunk, 0, CHUNK_BYTES, at);
    if (!chunk.subarray(0, read).equals(expected.subarray(at, at + CHUNK_BYTES))) return false;
  }
  return true;
}

function load(path: string): unknown {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}

function ownDirectory(directory: string): string {
  const own = join(directory, `agenthub-${process.getuid?.() ?? 'libraries'}`);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  if (!isPrivate(own)) throw new Error(`${own} belongs to another user or is accessible to others`);
  return own;
}

/** Windows has no owner bits, and its temporary directories are per user. */
function isPrivate(path: string): boolean {
  const found = lstatSync(path);
  const uid = process.getuid?.();
  return found.isDirectory() && (uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0));
}

function replace(path: string, library: Uint8Array): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, library, { flag: 'wx', mode: 0o600 });
  renameSync(temporary, path);
}
