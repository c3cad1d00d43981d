// Loads a native library from its bytes. A system loads a library only from a file, and whoever can change that file
// runs code as us: on Linux the file has no name and only we hold it, elsewhere it lies in a directory that only we can
// enter.
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

/**
 * Linux: the file loses its name before the first byte is written; the loader reaches it through our open descriptor.
 */
export function loadNameless(directory: string, library: Uint8Array): unknown {
  const file = openNameless(directory);
  try {
    writeFileSync(file, library);
    if (!holds(file, library)) throw new Error('the file does not hold what was written');
    return load(`/proc/self/fd/${file}`);
  } finally {
    closeSync(file);
  }
}

/** Systems where a loaded library must keep its file: one file per content, shared by all versions and instances. */
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

/** Compared in pieces: a second copy of ten megabytes would stay in memory until the collector finds it. */
function holds(file: number, expected: Uint8Array): boolean {
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
  if (!isOurs(own)) throw new Error(`${own} belongs to somebody else or is open to others`);
  return own;
}

/** Windows has no owner bits; its temporary directories belong to one user already. */
function isOurs(path: string): boolean {
  const found = lstatSync(path);
  const uid = process.getuid?.();
  return found.isDirectory() && (uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0));
}

function replace(path: string, library: Uint8Array): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, library, { flag: 'wx', mode: 0o600 });
  renameSync(draft, path);
}
