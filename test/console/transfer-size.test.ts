import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { bundleConsole } from '../../build/console.ts';

const MOST_BYTES = 200_000;

let metafile: Metafile | undefined;
const files = await bundleConsole(
  fileURLToPath(new URL('../../console', import.meta.url)),
  (made) => (metafile = made),
);
test('the whole console transfers less than 200 kB', () => {
  const bytes = files.reduce((sum, { body }) => sum + gzipSync(body, { level: 9 }).length, 0);
  expect(bytes).toBeLessThan(MOST_BYTES);
});

test('the first page loads no parser of texts', () => {
  const outputs = Object.entries(metafile?.outputs ?? {});
  const inputsOf = (path: string) => Object.keys(outputs.find(([name]) => name.endsWith(path))?.[1].inputs ?? {});
  const needed = ['main.tsx', 'overview/overview-page.tsx'].flatMap((entry) => withImports(entry, outputs));
  const first = files.filter(({ path }) => needed.includes(path));
  expect(first.some(({ path }) => inputsOf(path).includes('overview/overview-page.tsx'))).toBe(true);
  expect(first.filter(({ path }) => inputsOf(path).some((input) => input.includes('/marked/')))).toEqual([]);
});

/** The paths of the script of a module and of all that it imports before it runs. */
function withImports(entry: string, outputs: [string, Metafile['outputs'][string]][]): string[] {
  const found = new Set<string>();
  const add = (name: string | undefined): void => {
    if (name === undefined || found.has(name)) return;
    found.add(name);
    const imports = outputs.find(([each]) => each === name)?.[1].imports ?? [];
    for (const { kind, path } of imports) if (kind === 'import-statement') add(path);
  };
  add(outputs.find(([name, { entryPoint }]) => entryPoint === entry && name.endsWith('.js'))?.[0]);
  return [...found].map((name) => join('/assets', name.replace(/^.*assets\//, '')));
}
