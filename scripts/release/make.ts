// Creates the executable for one target from the build for this machine: the same scripts and console, with the Node
// and the addon of the target system.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSea, megabytes, replaceCopy, strip } from '../../build/binary.ts';
import { licensesOf } from '../../build/licenses.ts';
import { DIST, ROOT } from '../../build/step.ts';
import { HOST, type Target } from '../../build/targets.ts';
import manifest from '../../package.json' with { type: 'json' };
import seaConfig from '../../sea-config.json' with { type: 'json' };
import { fetchPackage } from './fetch.ts';

export const RELEASE = join(DIST, 'release');

export function releaseName({ name, ending }: Target): string {
  return `agenthub-${manifest.version}-${name}${ending}`;
}

/** Returns the names of the files that it creates in `RELEASE`. */
export async function makeRelease(target: Target): Promise<string[]> {
  mkdirSync(RELEASE, { recursive: true });
  const executable = join(RELEASE, releaseName(target));
  const list = `agenthub-${manifest.version}-${target.name}.spdx.json`;
  const note = target === HOST ? await takeBuilt(executable, list) : await makeFor(target, executable, list);
  const notes = [await megabytes(executable), note, target.untried].filter((each) => each !== undefined);
  process.stderr.write(`${releaseName(target).padEnd(32)} ${notes.join(', ')}\n`);
  return [releaseName(target), list];
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
