// A clone of the repository in dist/, with the same packages, to build the same commit or the next version again.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, ROOT } from '../../build/step.ts';

const CLONE = join(DIST, 'release-clone');

/** Runs commands in a fresh clone, which is deleted afterwards. */
export function inClone<Result>(work: (directory: string) => Result): Result {
  rmSync(CLONE, { recursive: true, force: true });
  try {
    execFileSync('git', ['clone', '--quiet', ROOT, CLONE], { stdio: 'inherit' });
    execFileSync('cp', ['-a', '--link', join(ROOT, 'node_modules'), CLONE], { stdio: 'inherit' });
    return work(CLONE);
  } finally {
    rmSync(CLONE, { recursive: true, force: true });
  }
}

/** Whether a build of the same commit in another directory has the same bytes. */
export function isSameAgain(): boolean {
  return inClone((directory) => {
    execFileSync(process.execPath, ['build/index.ts'], { cwd: directory, stdio: 'inherit' });
    return digestOf(join(directory, 'dist/agenthub')) === digestOf(join(DIST, 'agenthub'));
  });
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
