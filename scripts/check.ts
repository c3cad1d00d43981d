// `npm run check`: types, formatting, import order and lint, in seconds. With `-- --write`, formatting is corrected.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../build/step.ts';

const checks = [
  ['tsc', []],
  ['biome', ['check', ...process.argv.slice(2), '.']],
] as const;

for (const [tool, args] of checks) {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'node_modules/.bin', tool), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
