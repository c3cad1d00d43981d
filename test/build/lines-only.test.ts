import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { withLinesOnly } from '../../build/lines-only.ts';
import { temporaryDirectory } from '../support/test-hub.ts';

test('uPlot keeps its lines and points, and loads', async () => {
  const source = await readFile(fileURLToPath(import.meta.resolve('uplot')), 'utf8');
  const file = join(temporaryDirectory(), 'uplot.mjs');
  await writeFile(file, withLinesOnly(source));
  const { default: uPlot } = await import(pathToFileURL(file).href);
  expect(Object.keys(uPlot.paths)).toEqual(['points', 'linear']);
  expect(uPlot.join).toBeUndefined();
});

test('a version of uPlot that is written differently fails the build', () => {
  expect(() => withLinesOnly('export { uPlot as default }')).toThrow('adapt build/lines-only.ts');
});
