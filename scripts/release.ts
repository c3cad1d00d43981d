// `npm run release`: builds the release executables in dist/release, with their third-party lists and checksums.
// `-- --all` includes targets that cannot be tested on this machine; `-- --check` tests the others (release/check.ts).
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
  'Builds the release executables in dist/release, with their third-party lists and checksums.',
)
  .option('--all', 'include targets that cannot be tested on this machine')
  .option('--check', 'test the executables that run on this machine')
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
