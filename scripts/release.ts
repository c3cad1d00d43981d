// `npm run release`: the executables to hand out, in dist/release, with the lists of what is inside and their checksums.
// `npm run release -- --check` then proves the one for this machine (release/check.ts).
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../build/index.ts';
import { TARGETS } from '../build/targets.ts';
import { checkRelease } from './release/check.ts';
import { makeRelease, RELEASE } from './release/make.ts';

const [option, ...others] = process.argv.slice(2);
if ((option !== undefined && option !== '--check') || others.length > 0) {
  process.stderr.write('npm run release [-- --check]\n');
  process.exit(2);
}

await build();
rmSync(RELEASE, { recursive: true, force: true });
const files: string[] = [];
for (const target of TARGETS) files.push(...(await makeRelease(target)));
writeFileSync(join(RELEASE, 'SHA256SUMS'), files.map((file) => `${sha256(join(RELEASE, file))}  ${file}\n`).join(''));
if (option === '--check') process.exitCode = (await checkRelease()) ? 0 : 1;

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
