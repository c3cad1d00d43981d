// A clone of the repository in dist/, with the same packages, to build the same commit or the next version again.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, ROOT } from '../../build/step.ts';
import { RELEASE } from './make.ts';
import { CHECKSUMS } from './sign.ts';

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

/** Whether a release of the same commit from another directory has the same checksums, of these parts. */
export function isSameAgain(parts: readonly string[]): boolean {
  return inClone((directory) => {
    const options = ['--host', '--parts', parts.join(',')];
    execFileSync(process.execPath, ['scripts/release.ts', ...options], { cwd: directory, stdio: 'inherit' });
    const [first, again] = [RELEASE, join(directory, 'dist/release')].map((made) => sumsIn(join(made, CHECKSUMS)));
    const differing = Object.entries(again ?? {}).filter(([file, sum]) => first?.[file] !== sum);
    for (const [file] of differing) process.stderr.write(`${file} has other bytes\n`);
    return differing.length === 0;
  });
}

function sumsIn(path: string): Record<string, string> {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split('  ').toReversed()));
}
