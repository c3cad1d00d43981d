// Runs the root file system of the container image as its configuration says: as its user, read-only except for the
// data directory, with its entry point and its health check. With skopeo, reads the archive in both of its forms. Needs
// root and unshare.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { blobOf, IMAGE, REFERENCE } from './image.ts';
import { urlOf } from './listening.ts';
import { RELEASE } from './make.ts';

const Index = v.object({ manifests: v.tuple([v.object({ digest: v.string() })]) });
const Manifest = v.object({
  config: v.object({ digest: v.string() }),
  layers: v.array(v.object({ digest: v.string() })),
});
const Image = v.object({
  config: v.object({
    User: v.string(),
    Entrypoint: v.array(v.string()),
    Cmd: v.array(v.string()),
    Env: v.array(v.string()),
    Healthcheck: v.object({ Test: v.tupleWithRest([v.literal('CMD')], v.string()) }),
  }),
});
type Config = v.InferOutput<typeof Image>['config'];

/** Throws at the first step that fails, and returns true at the end. */
export async function runImageStory(): Promise<boolean> {
  const directory = mkdtempSync('/tmp/agenthub-image-');
  const root = join(directory, 'root');
  try {
    const config = unpack(directory, root);
    assertLoadable(directory);
    if (existsSync(join(root, 'bin/sh')) || existsSync(join(root, 'usr/bin/sh')))
      throw new Error('the image has a shell');
    if (/^0?(:|$)|^root/.test(config.User)) throw new Error('the image runs as root');
    const hub = inRoot(root, config, [...config.Entrypoint, ...config.Cmd]);
    try {
      await urlOf(hub);
      const [, ...check] = config.Healthcheck.Test;
      const [healthy] = await once(inRoot(root, config, check), 'exit');
      if (healthy !== 0) throw new Error(`the health check exits with ${healthy}`);
    } finally {
      await stop(hub);
    }
    return true;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Extracts all layers, as a container runtime does. */
function unpack(directory: string, root: string): Config {
  execFileSync('tar', ['-xf', join(RELEASE, IMAGE), '-C', directory]);
  const [{ digest }] = v.parse(Index, JSON.parse(readFileSync(join(directory, 'index.json'), 'utf8'))).manifests;
  const { config, layers } = v.parse(Manifest, blob(directory, digest));
  execFileSync('mkdir', [root]);
  for (const layer of layers) execFileSync('tar', ['-xf', blobOf(directory, layer.digest), '--same-owner', '-C', root]);
  return v.parse(Image, blob(directory, config.digest)).config;
}

/** Under the name that the documentation uses, from both lists of contents. */
function assertLoadable(directory: string): void {
  for (const source of [`docker-archive:${join(RELEASE, IMAGE)}:${REFERENCE}`, `oci:${directory}:${REFERENCE}`]) {
    const { status, error } = spawnSync('skopeo', ['inspect', source], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (error !== undefined) return void process.stderr.write('!!! skopeo is not installed: not read by name\n');
    if (status !== 0) throw new Error(`${source} cannot be read`);
  }
}

function blob(directory: string, digest: string): unknown {
  return JSON.parse(readFileSync(blobOf(directory, digest), 'utf8'));
}

/** In a namespace for mounts, with /proc, and with a read-only root except for the data directory. */
const ISOLATED = `
mount --bind "$0" "$0" && mount --bind "$0/data" "$0/data" && mount -t proc proc "$0/proc" &&
mount -o remount,bind,ro "$0" && exec "$@"`;

function inRoot(root: string, { User, Env }: Config, command: readonly string[]): ChildProcess {
  const asUser = ['env', '-i', ...Env, '/usr/sbin/chroot', `--userspec=${User}`, root, ...command];
  return spawn('unshare', ['--mount', 'sh', '-c', ISOLATED, root, ...asUser], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function stop(hub: ChildProcess): Promise<void> {
  const exit = once(hub, 'close');
  hub.kill();
  await exit;
}
