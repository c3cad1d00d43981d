// `npm run release`: the executables to hand out, in dist/release, with the lists of what is inside and their
// checksums. `-- --all` makes those too that cannot be tried here, `-- --check` then proves those that can
// (release/check.ts).
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../build/index.ts';
import { TARGETS } from '../build/targets.ts';
import { commandLine } from './command-line.ts';
import { checkRelease } from './release/check.ts';
import { makeRelease, RELEASE } from './release/make.ts';

const { all, check } = commandLine(
  'release',
  'Make the executables to hand out, in dist/release, with the lists of what is inside and their checksums.',
)
  .option('--all', 'those too that cannot be tried here')
  .option('--check', 'prove those that can be tried here')
  .parse()
  .opts<{ all?: true; check?: true }>();

await build();
rmSync(RELEASE, { recursive: true, force: true });
const files: string[] = [];
const wanted = TARGETS.filter(({ untried }) => untried === undefined || all);
for (const target of wanted) files.push(...(await makeRelease(target)));
writeFileSync(join(RELEASE, 'SHA256SUMS'), files.map((file) => `${sha256(join(RELEASE, file))}  ${file}\n`).join(''));
if (check) process.exitCode = (await checkRelease()) ? 0 : 1;

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
