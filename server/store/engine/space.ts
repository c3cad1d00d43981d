// Whether a write failed for want of space. SQLite says FULL only where the disk is; where a quota or a limit on the
// size of files is used up it says that the write failed, as if the disk were broken.
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const PAGE = 4_096;

/** Tries to write a page to a file beside the database, as far from its beginning as its log now ends. */
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
