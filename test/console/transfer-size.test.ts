import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { bundleConsole } from '../../build/console.ts';

const MOST_BYTES = 200_000;
const MOST_FIRST_BYTES = 90_000;

let metafile: Metafile | undefined;
const files = await bundleConsole(
  fileURLToPath(new URL('../../console', import.meta.url)),
  (made) => (metafile = made),
);
const outputs = Object.entries(metafile?.outputs ?? {});
const overview = scriptsOf('main.tsx', 'overview/overview-page.tsx');

test('the whole console transfers less than 200 kB', () => {
  expect(transferred(files)).toBeLessThan(MOST_BYTES);
});

test.each(['en', 'zh'])('the first page transfers less than 90 kB, with the texts of %s', (language) => {
  const scripts = scriptsOf('main.tsx', 'overview/overview-page.tsx', `i18n/${language}.ts`);
  const others = files.filter(({ path }) => !path.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(overview.length);
  expect(others.map(({ path }) => path.replace(/^.*\./, '')).sort()).toEqual(['css', 'html', 'svg']);
  expect(transferred([...scripts, ...others])).toBeLessThan(MOST_FIRST_BYTES);
});

test('the first page loads no parser of texts', () => {
  const inputs = overview.flatMap(({ path }) => inputsOf(path));
  expect(inputs).toContain('overview/overview-page.tsx');
  expect(inputs.filter((input) => input.includes('/marked/'))).toEqual([]);
});

function transferred(parts: typeof files): number {
  return parts.reduce((sum, { body }) => sum + gzipSync(body, { level: 9 }).length, 0);
}

function inputsOf(path: string): string[] {
  return Object.keys(outputs.find(([name]) => name.endsWith(path))?.[1].inputs ?? {});
}

/** The scripts of these modules and all that they import before they run. */
function scriptsOf(...entries: string[]): typeof files {
  const found = new Set<string>();
  const add = (name: string | undefined): void => {
    if (name === undefined || found.has(name)) return;
    found.add(name);
    const imports = outputs.find(([each]) => each === name)?.[1].imports ?? [];
    for (const { kind, path } of imports) if (kind === 'import-statement') add(path);
  };
  for (const entry of entries) add(outputs.find(([name, output]) => isScriptOf(entry, name, output))?.[0]);
  const paths = [...found].map((name) => join('/assets', name.replace(/^.*assets\//, '')));
  return files.filter(({ path }) => paths.includes(path));
}

function isScriptOf(entry: string, name: string, { entryPoint }: { entryPoint?: string }): boolean {
  return entryPoint === entry && name.endsWith('.js');
}
