// Detects whether a write failed for lack of space. SQLite reports FULL only for a full disk; for an exhausted quota or
// file size limit it reports a failed write, as for a broken disk.
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const PAGE = 4_096;

/** Tries to write a page to a file next to the database, at the offset where its log now ends. */
export function hasNoSpace(database: string): boolean {
  const probe = `${database}-probe`;
  try {
    writePage(probe, statSync(`${database}-wal`).size);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && NO_SPACE.has(String(error.code));
  } finally {
    rmSync(probe, { force: true });
  }
}

function writePage(file: string, at: number): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    writeSync(descriptor, Buffer.alloc(PAGE), 0, PAGE, at);
  } finally {
    closeSync(descriptor);
  }
}
