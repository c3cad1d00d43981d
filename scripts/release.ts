// `npm run release`: creates the release files in dist/release: for each system an archive with the executable, its
// list of third-party parts and, for Linux, a Debian package; a container image; and checksums, signed with `--sign`.
// Two runs on one commit create the same bytes. `-- --check` tests the result (release/check.ts).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { build } from '../build/index.ts';
import { ROOT } from '../build/step.ts';
import { HOST, TARGETS, type Target } from '../build/targets.ts';
import { commandLine } from './command-line.ts';
import { checkRelease } from './release/check.ts';
import { makeDebianPackage } from './release/debian.ts';
import { makeImage } from './release/image.ts';
import { makeArchive, RELEASE } from './release/make.ts';
import { CHECKSUMS, sign } from './release/sign.ts';

type Part = 'archives' | 'packages' | 'image';
const PARTS: readonly Part[] = ['archives', 'packages', 'image'];

const {
  all,
  host,
  check,
  parts,
  sign: key,
} = commandLine(
  'release',
  'Creates the release files in dist/release: archives, Debian packages, a container image, and checksums.',
)
  .option('--all', 'include systems whose executables cannot be tested on this machine')
  .option('--host', 'only for the system of this machine')
  .option('--parts <parts>', `comma-separated list of: ${PARTS.join(', ')}`, chosenParts, [...PARTS])
  .option('--sign <key>', 'sign the checksums with this SSH key, a file')
  .option('--check', 'test the files that run on this machine; packages and images need root')
  .parse()
  .opts<{ all?: true; host?: true; check?: true; sign?: string; parts: readonly Part[] }>();

process.env.SOURCE_DATE_EPOCH ??= git('log', '-1', '--format=%ct');
if (git('status', '--porcelain') !== '')
  process.stderr.write('!!! the work tree has uncommitted changes, so this release cannot be reproduced\n');
await build();
rmSync(RELEASE, { recursive: true, force: true });
const files: string[] = [];
for (const target of TARGETS.filter(isWanted)) {
  const archive = await makeArchive(target);
  if (parts.includes('archives')) files.push(...archive);
  if (parts.includes('packages') && target.debian !== undefined)
    files.push(await makeDebianPackage(target, target.debian));
}
if (parts.includes('image')) files.push(await makeImage());
writeFileSync(join(RELEASE, CHECKSUMS), files.map((file) => `${sha256(join(RELEASE, file))}  ${file}\n`).join(''));
if (key !== undefined) sign(key);
process.stderr.write(`created in ${RELEASE}, with ${CHECKSUMS}${key === undefined ? '' : ' and its signature'}\n`);
if (check) process.exitCode = (await checkRelease(parts)) ? 0 : 1;

function isWanted(target: Target): boolean {
  return host === true ? target === HOST : target.untried === undefined || all === true;
}

function chosenParts(text: string): Part[] {
  return text.split(',').map((name) => {
    const part = PARTS.find((each) => each === name);
    if (part === undefined) throw new InvalidArgumentError(`Unknown part ${name}.`);
    return part;
  });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
