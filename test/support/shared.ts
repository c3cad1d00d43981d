// What takes long to make and is the same for all test files of a run. The first file that needs it makes it.
import { existsSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Returns the directory that `make` has filled, here or in another test file. Its files must not be changed. */
export async function shared(name: string, make: (directory: string) => Promise<void>): Promise<string> {
  const directory = join(inject('shared'), name);
  if (existsSync(directory)) return directory;
  const draft = mkdtempSync(`${directory}-`);
  await make(draft);
  try {
    renameSync(draft, directory);
  } catch (error) {
    if (!existsSync(directory)) throw error; // otherwise another process was faster
  }
  return directory;
}
