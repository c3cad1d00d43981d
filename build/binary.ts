// Creates dist/agenthub: the Node that runs this build, with embedded scripts, console and libSQL addon
// (sea-config.json).
import { execFile } from 'node:child_process';
import { chmod, copyFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import seaConfig from '../sea-config.json' with { type: 'json' };
import type { ScriptName } from '../server/native/compiled.ts';
import { isForRelease } from './source-date.ts';
import { DIST, ROOT, type Step } from './step.ts';
import { HOST, type Target } from './targets.ts';
import { type Warmth, warmUp } from './warm-up.ts';

const run = promisify(execFile);

export const nodeStep: Step = {
  name: 'node',
  reads: ['build/binary.ts', 'build/targets.ts', 'package-lock.json'],
  makes: ['dist/node', 'dist/libsql.node'],
  run: prepareNode,
};

export const binaryStep: Step = {
  name: 'agenthub',
  reads: [
    'sea-config.json',
    'build/binary.ts',
    'build/warm-up.ts',
    'dist/.node',
    'dist/boot.js',
    'dist/warm-up.js',
    'dist/server.js',
    'dist/hooks.js',
    'dist/password-worker.js',
    'dist/console.pack',
    'dist/licenses.spdx.json',
  ],
  given: () => String(isForRelease()),
  makes: ['dist/agenthub', 'dist/loaded.json'],
  run: makeExecutable,
};

async function prepareNode(): Promise<string> {
  const node = join(DIST, 'node');
  await replaceCopy(process.execPath, node);
  await replaceCopy(addonPath(), join(DIST, 'libsql.node'));
  const stripped = await strip(HOST, node);
  return `${await megabytes(node)}, ${stripped ? 'stripped' : 'not stripped: `strip` is not installed'}`;
}

/** Removes the target first, because a running executable can be replaced but not overwritten. */
export async function replaceCopy(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await copyFile(from, to);
  await chmod(to, 0o755);
}

function addonPath(): string {
  const here = createRequire(import.meta.url);
  return createRequire(here.resolve('libsql')).resolve(HOST.packages[1]);
}

/** Removes 33 MB of symbols. Must run before the build, because stripping later would remove the embedded data. */
export async function strip({ strips }: Target, executable: string): Promise<boolean> {
  for (const program of strips) {
    if (
      await run(program, [executable]).then(
        () => true,
        () => false,
      )
    )
      return true;
  }
  return false;
}

async function makeExecutable(): Promise<string> {
  await makeCodeCache();
  const temporary = join(DIST, 'agenthub.new');
  await buildSea({
    ...seaConfig,
    output: temporary,
    assets: {
      ...seaConfig.assets,
      ...Object.fromEntries(SCRIPTS.map((name) => [cacheOf(name), join(DIST, cacheOf(name))])),
    },
  });
  // Node writes the file at once, so Linux caches it in large pages and counts each whole page as resident: 30 MB more
  // than after a reboot or a download. The copy is cached like any other file.
  const copy = join(DIST, 'agenthub.copy');
  await replaceCopy(temporary, copy);
  await rm(temporary);
  await rename(copy, join(DIST, 'agenthub'));
  return megabytes(join(DIST, 'agenthub'));
}

const SCRIPTS: readonly ScriptName[] = ['server', 'hooks'];
const cacheOf = (name: ScriptName): string => `${name}.cache`;

/**
 * Hash tables in the cache are ordered by this seed, which is random otherwise. It is one of the few flags that V8 does
 * not compare when it loads a cache.
 */
const SEED = '--random-seed=1';

/**
 * Caches the compiled code of every function that a start and the first requests call. An executable without a cache
 * compiles it, because V8 only accepts a cache from the same V8, with the same flags and for the same source.
 */
async function makeCodeCache(): Promise<void> {
  const executable = join(DIST, 'agenthub.warm-up');
  const execArgv = [...seaConfig.execArgv, SEED];
  await buildSea({ ...seaConfig, execArgv, main: join(DIST, 'warm-up.js'), output: executable });
  const { code, loaded } = await (isForRelease() ? repeatedWarmth(executable) : warmUp(executable));
  for (const name of SCRIPTS) await writeFile(join(DIST, cacheOf(name)), code[name]);
  await writeFile(join(DIST, 'loaded.json'), JSON.stringify(loaded, null, 1));
  await rm(executable);
}

const MAX_WARM_UPS = 8;

/**
 * Runs until two runs compile the same code, so that releases of the same source are identical: on a busy machine, a
 * run may also compile what handles a delay.
 */
async function repeatedWarmth(executable: string): Promise<Warmth> {
  const seen: Warmth[] = [];
  for (let run = 1; run <= MAX_WARM_UPS; run++) {
    const warmth = await warmUp(executable);
    if (seen.some(({ code }) => isDeepStrictEqual(code, warmth.code))) return warmth;
    seen.push(warmth);
  }
  const [first] = seen;
  if (first === undefined) throw new Error('the warm-up did not run');
  process.stderr.write('no two warm-ups compiled the same code: another build will differ from this one\n');
  return first;
}

/** Writes `config` to a file, as Node requires, and builds it. */
export async function buildSea(config: Readonly<Record<string, unknown>> & { output: string }): Promise<void> {
  const file = `${config.output}.json`;
  await writeFile(file, JSON.stringify(config));
  await run(process.execPath, ['--build-sea', file], { cwd: ROOT });
  await rm(file);
}

export async function megabytes(path: string): Promise<string> {
  const { size } = await stat(path);
  return `${Math.round(size / 1e6)} MB`;
}
