// Formatting, import order and lint. Runs the linter's binary directly, because its launcher depends on packages for
// systems that a registry may lack. Without the binary, nothing is checked.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/step.ts';

const BINARY = join(ROOT, `node_modules/@biomejs/cli-${process.platform}-${process.arch}/biome`);

/** Returns whether there are no problems, and prints those found. */
export function checkStyle(args: readonly string[] = []): boolean {
  if (!existsSync(BINARY)) {
    process.stderr.write(`the style was not checked: ${BINARY} is not installed\n`);
    return true;
  }
  return spawnSync(BINARY, ['check', ...args, '.'], { cwd: ROOT, stdio: 'inherit' }).status === 0;
}
