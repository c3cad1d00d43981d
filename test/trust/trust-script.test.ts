import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ROOT } from '../../build/step.ts';

// The rows share code with the tests, some of which runs only in the test runner.
test('npm run trust starts', () => {
  const options = ['--experimental-import-text', '--disable-warning=ExperimentalWarning'];
  const { status, stderr } = spawnSync(process.execPath, [...options, 'scripts/trust.ts', '--only', 'none'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([2, expect.stringContaining('unknown row: none')]);
});
