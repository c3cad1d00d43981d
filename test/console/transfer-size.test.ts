import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundleConsole } from '../../build/console.ts';

const MOST_BYTES = 160_000;

test('the whole console transfers less than 160 kB', async () => {
  const files = await bundleConsole(fileURLToPath(new URL('../../console', import.meta.url)));
  const bytes = files.reduce((sum, { body }) => sum + gzipSync(body, { level: 9 }).length, 0);
  expect(bytes).toBeLessThan(MOST_BYTES);
});
