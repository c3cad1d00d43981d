// Creates dist/licenses.spdx.json, the list of third-party parts in the executable of this build.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { partsIn } from './inside.ts';
import { sourceDate } from './source-date.ts';
import { spdxDocument } from './spdx.ts';
import { DIST, ROOT, type Step } from './step.ts';
import { HOST, type Target } from './targets.ts';

export const licensesStep: Step = {
  name: 'licenses',
  reads: ['build', 'LICENSE', 'package.json', 'package-lock.json', 'dist/.server', 'dist/.console'],
  given: () => sourceDate().toISOString(),
  makes: ['dist/licenses.spdx.json'],
  run: async () => {
    const { text, count } = licensesOf(HOST);
    writeFileSync(join(DIST, 'licenses.spdx.json'), text);
    return `${count} packages`;
  },
};

/** Returns the list for one target, with the Node and the addon from `directories`. */
export function licensesOf(
  target: Target,
  directories = target.packages.map((name) => `node_modules/${name}`),
): { text: string; count: number } {
  const bundles: Metafile[] = ['server', 'console'].flatMap((name) =>
    JSON.parse(readFileSync(join(DIST, `${name}.meta.json`), 'utf8')),
  );
  const parts = partsIn(bundles, directories);
  const own = readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim();
  const document = spdxDocument({ version: manifest.version, target: target.name, created: sourceDate() }, parts, own);
  return { text: `${JSON.stringify(document, null, 1)}\n`, count: parts.length };
}
