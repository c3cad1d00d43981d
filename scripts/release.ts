// `npm run release`: the executables to hand out, in dist/release, with the lists of what is inside and their checksums.
// `-- --all` makes those too that cannot be tried here, `-- --check` then proves those that can (release/check.ts).
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../build/index.ts';
import { TARGETS } from '../build/targets.ts';
import { checkRelease } from './release/check.ts';
import { makeRelease, RELEASE } from './release/make.ts';

const given = process.argv.slice(2);
const unknown = given.find((option) => option !== '--check' && option !== '--all');
if (unknown !== undefined) {
  process.stderr.write(`release: there is no ${unknown}; npm run release [-- --all] [-- --check]\n`);
  process.exit(2);
}

await build();
rmSync(RELEASE, { recursive: true, force: true });
const files: string[] = [];
const wanted = TARGETS.filter(({ untried }) => untried === undefined || given.includes('--all'));
for (const target of wanted) files.push(...(await makeRelease(target)));
writeFileSync(join(RELEASE, 'SHA256SUMS'), files.map((file) => `${sha256(join(RELEASE, file))}  ${file}\n`).join(''));
if (given.includes('--check')) process.exitCode = (await checkRelease()) ? 0 : 1;

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
