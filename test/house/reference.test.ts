// The generated tables of the documents match the code.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../build/step.ts';
import { filled } from '../../scripts/reference.ts';

const NODE_FLAGS = ['--experimental-import-text', '--disable-warning=ExperimentalWarning'];

test('npm run reference changes nothing', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [...NODE_FLAGS, join(ROOT, 'scripts/reference.ts'), '--check'],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test('a section is replaced between its markers, and nothing else changes', () => {
  const before = 'a\n<!-- reference:tools -->\nold\n<!-- /reference:tools -->\nb\n';
  expect(filled(before, 'tools', 'new')).toBe('a\n<!-- reference:tools -->\nnew\n<!-- /reference:tools -->\nb\n');
});

test('a document without the markers is rejected', () => {
  expect(() => filled('a\n', 'tools', 'new')).toThrow('a document must have <!-- reference:tools -->');
});
