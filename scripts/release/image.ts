// Creates the container image as an OCI archive, without a daemon: the executable of this machine and the Debian
// packages of the libraries that it needs, with no shell and no package manager. Needs buildah, and a Debian with apt.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { megabytes } from '../../build/binary.ts';
import { HOST } from '../../build/targets.ts';
import manifest from '../../package.json' with { type: 'json' };
import { executableOf, partsOf, RELEASE, SAME_BYTES } from './make.ts';

const run = promisify(execFile);

const LIBRARIES = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1'];
/** The usual number of an unprivileged user in images of this kind. */
const USER = 65_532;
const DATA = '/data';
const PORT = 4747;

const CONFIG = [
  ['--user', `${USER}:${USER}`],
  ['--entrypoint', '["/usr/bin/agenthub"]'],
  ['--cmd', 'serve'],
  ['--env', `AGENTHUB_DATA=${DATA}`],
  ['--env', 'AGENTHUB_HOST=0.0.0.0'],
  ['--port', `${PORT}/tcp`],
  ['--volume', DATA],
  ['--workingdir', DATA],
  ['--stop-signal', 'SIGTERM'],
  ['--label', `org.opencontainers.image.title=${manifest.name}`],
  ['--label', `org.opencontainers.image.version=${manifest.version}`],
  ['--label', `org.opencontainers.image.licenses=${manifest.license}`],
].flat();

const SECOND_NS = 1_000_000_000;
/** OCI has no health check. Docker writes and reads this extension of the image configuration. */
const HEALTH_CHECK = {
  Test: ['CMD', '/usr/bin/agenthub', 'healthcheck'],
  Interval: 30 * SECOND_NS,
  Timeout: 5 * SECOND_NS,
  StartPeriod: 30 * SECOND_NS,
  Retries: 3,
};

export const IMAGE = `agenthub-${manifest.version}-${HOST.name}-image.tar`;

/** Returns the name of the file that it creates in `RELEASE`. */
export async function makeImage(): Promise<string> {
  const [root, layout] = [`${partsOf(HOST)}-root`, `${partsOf(HOST)}-image`];
  for (const directory of [root, layout]) rmSync(directory, { recursive: true, force: true });
  await makeRoot(root);
  await packRoot(root, `${root}.tar`);
  await buildah(`${root}.tar`, layout);
  complete(layout);
  const dated = `--mtime=@${process.env.SOURCE_DATE_EPOCH}`;
  await run('tar', [
    ...SAME_BYTES,
    dated,
    '-cf',
    join(RELEASE, IMAGE),
    '-C',
    layout,
    'oci-layout',
    'index.json',
    'manifest.json',
    'blobs',
  ]);
  for (const part of [root, `${root}.tar`, layout]) rmSync(part, { recursive: true });
  process.stderr.write(`${IMAGE.padEnd(40)} ${await megabytes(join(RELEASE, IMAGE))}\n`);
  return IMAGE;
}

async function makeRoot(root: string): Promise<void> {
  const downloaded = `${root}-packages`;
  rmSync(downloaded, { recursive: true, force: true });
  mkdirSync(downloaded, { recursive: true });
  mkdirSync(root);
  await run('apt-get', ['download', '-q', '-o', 'APT::Sandbox::User=root', ...LIBRARIES], { cwd: downloaded });
  for (const file of readdirSync(downloaded).sort()) await run('dpkg-deb', ['--extract', join(downloaded, file), root]);
  rmSync(downloaded, { recursive: true });
  for (const directory of ['etc', 'usr/bin', 'dev', 'proc', 'sys', 'tmp'])
    mkdirSync(join(root, directory), { recursive: true });
  copyFileSync(executableOf(HOST), join(root, 'usr/bin/agenthub'));
  writeFileSync(join(root, 'etc/passwd'), `agenthub:x:${USER}:${USER}::${DATA}:/usr/sbin/nologin\n`);
  writeFileSync(join(root, 'etc/group'), `agenthub:x:${USER}:\n`);
  chmodSync(join(root, 'tmp'), 0o1777);
}

/** Everything belongs to root, except for the data directory. */
async function packRoot(root: string, archive: string): Promise<void> {
  const options = ['--sort=name', '--format=gnu', '--numeric-owner', `--mtime=@${process.env.SOURCE_DATE_EPOCH}`];
  await run('tar', [...options, '--owner=0', '--group=0', '-cf', archive, '-C', root, '.']);
  mkdirSync(join(root, DATA));
  const owner = [`--owner=${USER}`, `--group=${USER}`, '--mode=0700'];
  await run('tar', [...options, ...owner, '-rf', archive, '-C', root, `.${DATA}`]);
}

async function buildah(archive: string, layout: string): Promise<void> {
  const { stdout } = await run('buildah', [...STORAGE, 'from', 'scratch']);
  const container = stdout.trim();
  try {
    await run('buildah', [...STORAGE, 'add', container, archive, '/']);
    await run('buildah', [...STORAGE, 'config', ...CONFIG, container]);
    const dated = ['--timestamp', String(process.env.SOURCE_DATE_EPOCH)];
    await run('buildah', [
      ...STORAGE,
      'commit',
      '--format',
      'oci',
      '--disable-compression=false',
      ...dated,
      container,
      `oci:${layout}:${manifest.version}`,
    ]);
  } finally {
    await run('buildah', [...STORAGE, 'rm', container]);
  }
}

/** Works on every file system, with a copy of each layer. */
const STORAGE = ['--storage-driver', 'vfs'];

const Pointer = v.looseObject({ digest: v.string(), size: v.number() });
const Index = v.looseObject({ manifests: v.tuple([Pointer]) });
const Manifest = v.looseObject({ config: Pointer, layers: v.array(Pointer) });
const Configuration = v.looseObject({ config: v.looseObject({}) });

/** As users write it. With this host, no runtime looks for the image in a public registry. */
export const REFERENCE = `localhost/${manifest.name}:${manifest.version}`;

/**
 * Adds what buildah cannot: the health check, the name, and the list that a Docker without containerd reads instead of
 * the index. An image consists of files that are named by their digest: index, manifest, configuration, layers.
 */
function complete(layout: string): void {
  const index = v.parse(Index, JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')));
  const [pointer] = index.manifests;
  const image = v.parse(Manifest, readBlob(layout, pointer.digest));
  const configuration = v.parse(Configuration, readBlob(layout, image.config.digest));
  Object.assign(configuration.config, { Healthcheck: HEALTH_CHECK });
  Object.assign(image.config, writeBlob(layout, image.config.digest, configuration));
  Object.assign(pointer, writeBlob(layout, pointer.digest, image), {
    annotations: {
      'org.opencontainers.image.ref.name': REFERENCE,
      'io.containerd.image.name': REFERENCE,
    },
  });
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
  const list = {
    Config: pathOf(image.config.digest),
    RepoTags: [REFERENCE],
    Layers: image.layers.map(({ digest }) => pathOf(digest)),
  };
  writeFileSync(join(layout, 'manifest.json'), JSON.stringify([list]));
}

function readBlob(layout: string, digest: string): unknown {
  return JSON.parse(readFileSync(blobOf(layout, digest), 'utf8'));
}

function writeBlob(layout: string, before: string, content: object): { digest: string; size: number } {
  const bytes = Buffer.from(JSON.stringify(content));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  rmSync(blobOf(layout, before));
  writeFileSync(blobOf(layout, digest), bytes);
  return { digest, size: bytes.length };
}

export function blobOf(layout: string, digest: string): string {
  return join(layout, pathOf(digest));
}

function pathOf(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}
