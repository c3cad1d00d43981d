// The progress of a long check: shown only on a terminal, and only if the check is long.
import { expect, test } from 'vitest';
import { openProgress } from '../../../server/cli/doctor/progress.ts';

function shown(isTTY: boolean, bytes: number): string {
  let text = '';
  const progress = openProgress({ isTTY, write: (more) => (text += more) });
  progress.begin('reading the whole database', bytes);
  for (const share of [0.05, 0.12, 0.15, 0.31, 1]) progress.update(share);
  progress.end();
  return text;
}

test('is one line that grows', () => {
  expect(shown(true, 1e9)).toBe('reading the whole database … 12 % 31 % 100 %\n');
});

test.each([
  ['a pipe', false, 1e9],
  ['a short check', true, 1e6],
])('is not shown for %s', (_, isTTY, bytes) => {
  expect(shown(isTTY, bytes)).toBe('');
});
