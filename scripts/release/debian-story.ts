// The life of the Debian package, in a minimal Debian without systemd: installed, upgraded to a version that changes
// the schema, rolled back with the copy from before the upgrade, removed and purged, with a task that survives until
// the purge. Needs root and mmdebstrap.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOST } from '../../build/targets.ts';
import manifest from '../../package.json' with { type: 'json' };
import { packageName } from './debian.ts';
import { urlOf } from './listening.ts';
import { RELEASE } from './make.ts';
import { inClone } from './second-build.ts';

const DATA = 'var/lib/agenthub';
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
const TASK = 'water the plants';
const NEXT = nextPatch(manifest.version);

type Account = { network_token: string };

/** Throws at the first step that fails, and returns true at the end. */
export async function runDebianStory(): Promise<boolean> {
  const root = mkdtempSync('/tmp/agenthub-debian-');
  try {
    makeDebian(root);
    const [present, next] = packages(root);
    const said = install(root, present);
    assert(said.includes('so nothing starts the hub'), `the package says that systemd is missing: ${said}`);
    assertVersion(root, manifest.version);
    const account = await serving(root, register);
    await serving(root, (url) => send(url, account));
    assertNewer(root, next);
    installOverArchive(root, next);
    assertVersion(root, NEXT);
    await serving(root, (url) => assertTask(url, account));
    install(root, present);
    assertVersion(root, manifest.version);
    assertRefusal(root);
    restore(root, copyIn(root));
    await serving(root, (url) => assertTask(url, account));
    chroot(root, 'dpkg', '--remove', 'agenthub');
    assert(existsSync(join(root, DATA, 'agenthub.db')), 'removal keeps the data');
    assert(!existsSync(join(root, 'usr/bin/agenthub')), 'removal deletes the program');
    chroot(root, 'dpkg', '--purge', 'agenthub');
    assert(!existsSync(join(root, DATA)), 'purge deletes the data');
    assert(!readFileSync(join(root, 'etc/passwd'), 'utf8').includes('agenthub'), 'purge deletes the user');
    return true;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The packages that agenthub depends on are installed, so that dpkg alone can install it. */
function makeDebian(root: string): void {
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
  const sources = ['/etc/apt/sources.list', '/etc/apt/sources.list.d/debian.sources'].filter(existsSync);
  const include = '--include=adduser,libatomic1,libgcc-s1,libstdc++6';
  execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', include, codename, root, ...sources], {
    stdio: 'inherit',
  });
}

/** The paths, in `root`, of this version and of the next, which a clone with a higher version builds. */
function packages(root: string): [present: string, next: string] {
  const architecture = HOST.debian;
  if (architecture === undefined) throw new Error(`there is no Debian package for ${HOST.name}`);
  const names = [packageName(architecture), packageName(architecture, NEXT)] as const;
  copyFileSync(join(RELEASE, names[0]), join(root, names[0]));
  inClone((clone) => {
    const file = join(clone, 'package.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(`"version": "${manifest.version}"`, `"version": "${NEXT}"`));
    changeSchema(join(clone, 'server/store/file/migrations.ts'));
    execFileSync(
      'git',
      ['-c', 'user.name=release', '-c', 'user.email=release@invalid', 'commit', '-qam', `Version ${NEXT}`],
      {
        cwd: clone,
      },
    );
    execFileSync('git', ['tag', `v${NEXT}`], { cwd: clone });
    execFileSync(process.execPath, ['scripts/release.ts', '--host', '--parts', 'packages'], {
      cwd: clone,
      stdio: 'inherit',
    });
    copyFileSync(join(clone, 'dist/release', names[1]), join(root, names[1]));
  });
  return [`/${names[0]}`, `/${names[1]}`];
}

function changeSchema(file: string): void {
  const source = readFileSync(file, 'utf8');
  const changed = source.replace(
    /(const MIGRATIONS[^;]*)\];/,
    "$1  'CREATE TABLE next_version (id INTEGER PRIMARY KEY);',\n];",
  );
  assert(changed !== source, 'the list of migrations is found');
  writeFileSync(file, changed);
}

/** The copy of the database that the upgrade kept. */
function copyIn(root: string): string {
  const copies = readdirSync(join(root, DATA, 'backups')).filter((name) =>
    /^agenthub-before-schema-\d+\.db$/.test(name),
  );
  assert(copies.length === 1, `there is one copy from before the upgrade, not ${copies.length}`);
  return copies[0] ?? '';
}

/** The earlier version does not open the newer database, and says what to do. */
function assertRefusal(root: string): void {
  const [file, args] = asService(root, 'serve', '--data', `/${DATA}`);
  const { status, stderr } = spawnSync(file, args, { encoding: 'utf8', env: { PATH } });
  assert(status === 1 && stderr.includes('use a newer agenthub'), `it refuses the newer database, not ${stderr}`);
}

function restore(root: string, copy: string): void {
  const [file, args] = asService(root, 'restore', `/${DATA}/backups/${copy}`, '--data', `/${DATA}`);
  execFileSync(file, args, { stdio: 'inherit', env: { PATH } });
}

/** A command of the installed program, run as the unit would: as its user, with /proc. */
function asService(root: string, ...args: string[]): [file: string, args: string[]] {
  const unprivileged = ['chroot', '--userspec=agenthub:agenthub', root, '/usr/bin/agenthub', ...args];
  return ['unshare', ['--mount', 'sh', '-c', 'mount -t proc proc "$0/proc" && exec "$@"', root, ...unprivileged]];
}

function nextPatch(version: string): string {
  const [major, minor, patch] = version.split(/[.-]/);
  return `${major}.${minor}.${Number(patch) + 1}`;
}

/** Returns what the package said. */
function install(root: string, path: string): string {
  const said = chroot(root, 'sh', '-c', `dpkg --force-downgrade --install ${path} 2>&1`);
  const found = spawnSync('stat', ['-c', '%a', join(root, DATA)], { encoding: 'utf8' }).stdout.trim();
  assert(found === '700', `the data directory has mode 700, not ${found}`);
  return said;
}

/** A program of an archive would be found before that of the package. */
function installOverArchive(root: string, path: string): void {
  const file = '/usr/local/bin/agenthub';
  writeFileSync(join(root, file), '');
  const said = install(root, path);
  assert(said.includes(`${file} is used instead`), `the package names what is in its way: ${said}`);
  rmSync(join(root, file));
}

function assertVersion(root: string, wanted: string): void {
  const { version }: { version: string } = JSON.parse(chroot(root, 'agenthub', 'version', '-o', 'json'));
  assert(version === wanted, `agenthub ${wanted} is installed, not ${version}`);
}

/** The installed program recognizes the file of the next version, and that it upgrades the database. */
function assertNewer(root: string, next: string): void {
  chroot(root, 'dpkg-deb', '--extract', next, '/next');
  const compared = chroot(root, 'agenthub', 'version', '--check', '/next/usr/bin/agenthub');
  assert(/newer than this program/.test(compared), `the next version is newer: ${compared}`);
  assert(/its first start upgrades a database/.test(compared), `it upgrades the database: ${compared}`);
}

function chroot(root: string, ...command: string[]): string {
  const environment = ['env', '-i', `PATH=${PATH}`, 'DEBIAN_FRONTEND=noninteractive'];
  return execFileSync('chroot', [root, ...environment, ...command], { encoding: 'utf8' });
}

async function serving<Result>(root: string, use: (url: string) => Promise<Result>): Promise<Result> {
  const [file, args] = asService(root, 'serve', '--port', '0', '--data', `/${DATA}`);
  const hub = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH } });
  try {
    return await use(await urlOf(hub));
  } finally {
    await stop(hub);
  }
}

async function stop(hub: ChildProcess): Promise<void> {
  const exit = once(hub, 'close');
  hub.kill();
  await exit;
}

async function register(url: string): Promise<Account> {
  return post(`${url}/api/auth/register`, undefined, { username: 'ada', password: 'a long password' });
}

async function send(url: string, { network_token }: Account): Promise<void> {
  await post(`${url}/api/tasks`, network_token, { alias: 'gardener', task: TASK });
}

async function assertTask(url: string, { network_token }: Account): Promise<void> {
  const response = await fetch(`${url}/api/tasks`, { headers: { Authorization: `Bearer ${network_token}` } });
  assert((await response.text()).includes(TASK), 'the task is still there');
}

async function post<Body>(url: string, token: string | undefined, body: object): Promise<Body> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  assert(response.ok, `${url} succeeds, not ${response.status}`);
  return response.json() as Promise<Body>;
}

function assert(holds: boolean, what: string): void {
  if (!holds) throw new Error(`expected that ${what}`);
}
