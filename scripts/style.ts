// Formatting, import order and lint. Depends on the binary of the linter itself, since its launcher lists packages for
// systems that a registry may lack; where there is no binary, nothing is checked.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build/step.ts';

const BINARY = join(ROOT, `node_modules/@biomejs/cli-${process.platform}-${process.arch}/biome`);

/** Returns whether the style is right; prints what is not. */
export function checkStyle(args: readonly string[] = []): boolean {
  if (!existsSync(BINARY)) {
    process.stderr.write(`style is not checked: ${BINARY} is not installed\n`);
    return true;
  }
  return spawnSync(BINARY, ['check', ...args, '.'], { cwd: ROOT, stdio: 'inherit' }).status === 0;
}
