// What a failed test leaves behind: its temporary directories, with the database and the output of its hub, are moved
// to dist/failed, and their place is printed. `npm test` empties that folder.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DIST } from '../../../build/step.ts';

/** Runs at the end of the test, in reverse order of registration. */
export type Cleanup = (hasFailed?: boolean) => Promise<void>;

/** Concurrent tests pass their own `onTestFinished`. */
export function cleanUpAfterTest(cleanup: Cleanup, atEnd: typeof onTestFinished = onTestFinished): void {
  atEnd(({ task }) => cleanup(task.result?.state === 'fail'));
}

/** Moves the directory to dist/failed. The files of a hub that still runs would be incomplete, so stop it first. */
export function keepForInspection(directory: string): void {
  const kept = join(DIST, 'failed', basename(directory));
  mkdirSync(join(DIST, 'failed'), { recursive: true });
  cpSync(directory, kept, { recursive: true });
  rmSync(directory, { recursive: true, force: true });
  process.stderr.write(`the test failed; its files are in ${kept}\n`);
}
