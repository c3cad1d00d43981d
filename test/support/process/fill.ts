// Fills a disk. Also for scripts, which do not run in the test runner.
import { closeSync, openSync, writeSync } from 'node:fs';

/** Writes to the file until not one more byte fits. */
export function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  for (let size = 1024 ** 2; size >= 1; ) {
    try {
      writeSync(descriptor, Buffer.alloc(size, 'x'));
    } catch {
      size = Math.floor(size / 2);
    }
  }
  closeSync(descriptor);
}
