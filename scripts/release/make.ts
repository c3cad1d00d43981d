// Creates the executable for one target from the build for this machine: the same scripts and console, with the Node
// and the addon of the target system; and packs it into an archive.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSea, megabytes, replaceCopy, strip } from '../../build/binary.ts';
import { licensesOf } from '../../build/licenses.ts';
import { DIST, ROOT } from '../../build/step.ts';
import { HOST, type Target } from '../../build/targets.ts';
import manifest from '../../package.json' with { type: 'json' };
import seaConfig from '../../sea-config.json' with { type: 'json' };
import { fetchPackage } from './fetch.ts';
import { releasedChangelog, writeManual } from './manual.ts';

const run = promisify(execFile);

export const RELEASE = join(DIST, 'release');

/** The executables and other parts of the files in `RELEASE`. */
const PARTS = join(DIST, 'release-parts');

export function partsOf({ name }: Target): string {
  return join(PARTS, name);
}

export function executableOf(target: Target): string {
  return join(partsOf(target), `agenthub${target.ending}`);
}

export function archiveName({ name }: Target): string {
  return `agenthub-${manifest.version}-${name}.tar.gz`;
}

/** Returns the names of the files that it creates in `RELEASE`. */
export async function makeArchive(target: Target): Promise<string[]> {
  const [parts, executable] = [partsOf(target), executableOf(target)];
  const list = `agenthub-${manifest.version}-${target.name}.spdx.json`;
  rmSync(parts, { recursive: true, force: true });
  for (const directory of [RELEASE, parts]) mkdirSync(directory, { recursive: true });
  const note = target === HOST ? await takeBuilt(executable, list) : await makeFor(target, executable, list);
  copyFileSync(join(ROOT, 'LICENSE'), join(parts, 'LICENSE'));
  writeFileSync(join(parts, 'CHANGELOG.md'), releasedChangelog());
  writeManual(join(parts, 'manual'));
  await pack(parts, join(RELEASE, archiveName(target)));
  const notes = [await megabytes(join(RELEASE, archiveName(target))), note, target.untried];
  process.stderr.write(`${archiveName(target).padEnd(40)} ${notes.filter((each) => each !== undefined).join(', ')}\n`);
  return [archiveName(target), list];
}

/** With fixed dates, owners and order, the same files result in the same bytes. */
export const SAME_BYTES = [
  '--sort=name',
  '--format=gnu',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u+rw,go=rX',
];

/**
 * Packs the files of a directory, dated SOURCE_DATE_EPOCH. Not the directory itself: extracting it as root would change
 * the mode of the directory in which a person extracts the archive.
 */
export async function pack(directory: string, archive: string): Promise<void> {
  const dated = `--mtime=@${process.env.SOURCE_DATE_EPOCH}`;
  const compress = '--use-compress-program=gzip -9 --no-name';
  await run('tar', [...SAME_BYTES, dated, compress, '-cf', archive, '-C', directory, '--', ...readdirSync(directory)]);
}

async function takeBuilt(executable: string, list: string): Promise<undefined> {
  await replaceCopy(join(DIST, 'agenthub'), executable);
  writeFileSync(join(RELEASE, list), readFileSync(join(DIST, 'licenses.spdx.json')));
}

async function makeFor(target: Target, executable: string, list: string): Promise<string | undefined> {
  const [node, addon] = await Promise.all(target.packages.map(fetchPackage));
  if (node === undefined || addon === undefined) throw new Error(`${target.name} has no packages`);
  const { text } = licensesOf(target, [node, addon]);
  writeFileSync(join(RELEASE, list), text);
  const place = join(DIST, target.name);
  mkdirSync(place, { recursive: true });
  await replaceCopy(join(ROOT, node, target.node), join(place, 'node'));
  const isStripped = await strip(target, join(place, 'node'));
  const config = crossConfig({
    executable: join(place, 'node'),
    output: `${executable}.new`,
    addon: join(ROOT, addon, 'index.node'),
    list: join(RELEASE, list),
  });
  await buildSea(config);
  rmSync(place, { recursive: true });
  renameSync(`${executable}.new`, executable);
  return isStripped || target.strips.length === 0
    ? undefined
    : `not stripped: none of ${target.strips.join(', ')} is installed`;
}

/** Without a code cache, which only the target system could create. */
function crossConfig({ executable, output, addon, list }: Record<'executable' | 'output' | 'addon' | 'list', string>) {
  return {
    ...seaConfig,
    executable,
    output,
    assets: { ...seaConfig.assets, 'libsql.node': addon, 'licenses.spdx.json': list },
  };
}
