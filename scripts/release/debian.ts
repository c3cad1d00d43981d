// Creates the Debian package of a Linux executable, with a systemd service, completions, a manual page and a user for
// the hub. Needs dpkg-deb.
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { megabytes } from '../../build/binary.ts';
import { ROOT } from '../../build/step.ts';
import { HOST, type Target } from '../../build/targets.ts';
import manifest from '../../package.json' with { type: 'json' };
import { WAITER, WAITER_SCRIPT } from '../../server/cli/connect/waiter-script.ts';
import { executableOf, partsOf, RELEASE } from './make.ts';
import { releasedChangelog, writeManual } from './manual.ts';

const run = promisify(execFile);

const SCRIPTS = join(ROOT, 'scripts/release/debian');
const INSTALLED = '/usr/bin/agenthub';
const DATA = '/var/lib/agenthub';
const MAX_OUTPUT = 2 ** 24;

/** Debian sorts `1.0~rc.1` before `1.0`. */
export function debianVersion(version: string): string {
  return version.replace('-', '~');
}

export function packageName(architecture: string, version = manifest.version): string {
  return `agenthub_${debianVersion(version)}_${architecture}.deb`;
}

/** Returns the name of the file that it creates in `RELEASE`. */
export async function makeDebianPackage(target: Target, architecture: string): Promise<string> {
  const name = packageName(architecture);
  const root = `${partsOf(target)}-deb`;
  rmSync(root, { recursive: true, force: true });
  install(executableOf(target), join(root, INSTALLED), 0o755);
  for (const [path, content] of Object.entries(generatedFiles())) write(join(root, path), content, 0o644);
  write(join(root, dirname(INSTALLED), WAITER), WAITER_SCRIPT, 0o755);
  install(join(ROOT, 'LICENSE'), join(root, 'usr/share/doc/agenthub/copyright'), 0o644);
  writeManual(join(root, 'usr/share/doc/agenthub/manual'));
  const changelog = compressed(releasedChangelog());
  write(join(root, 'usr/share/doc/agenthub/changelog.gz'), changelog, 0o644);
  for (const script of readdirSync(SCRIPTS)) install(join(SCRIPTS, script), join(root, 'DEBIAN', script), 0o755);
  write(join(root, 'DEBIAN/control'), control(architecture, sizeOf(root)), 0o644);
  await run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z3', '--build', root, join(RELEASE, name)]);
  rmSync(root, { recursive: true });
  process.stderr.write(`${name.padEnd(40)} ${await megabytes(join(RELEASE, name))}\n`);
  return name;
}

/** Files that the executable of this machine prints; they are the same for all architectures. */
function generatedFiles(): Record<string, string> {
  const printed = (...args: string[]): string =>
    execFileSync(executableOf(HOST), args, { encoding: 'utf8', maxBuffer: MAX_OUTPUT, env: {} });
  return {
    'lib/systemd/system/agenthub.service': installed(printed('systemd', 'print', '--type', 'notify', '--data', DATA)),
    'usr/share/bash-completion/completions/agenthub': printed('completion', 'bash'),
    'usr/share/zsh/vendor-completions/_agenthub': printed('completion', 'zsh'),
    'usr/share/fish/vendor_completions.d/agenthub.fish': printed('completion', 'fish'),
    'usr/share/man/man1/agenthub.1': printed('man'),
  };
}

/** The unit as the installed program prints it, without the instructions at its beginning. */
function installed(unit: string): string {
  return unit.replace(/^(#.*\n)+\n/, '').replaceAll(executableOf(HOST), INSTALLED);
}

function control(architecture: string, bytes: number): string {
  return `Package: agenthub
Version: ${debianVersion(manifest.version)}
Architecture: ${architecture}
Maintainer: ${manifest.name} maintainers <maintainers@invalid>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: adduser, libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6
Section: net
Priority: optional
Description: coordination hub for software agents
 Agents find each other, hand over tasks and get answers over MCP and REST.
 People watch and steer them in the built-in web console or on the command
 line. A single executable with an embedded database.
`;
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, path) => sum + statSync(join(directory, path)).size,
    0,
  );
}

/** Without a name and a date, the same file results in the same bytes. */
export function compressed(text: string): Buffer {
  return execFileSync('gzip', ['-9', '--no-name', '--stdout'], { input: text, maxBuffer: MAX_OUTPUT });
}

function install(from: string, to: string, mode: number): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  copyFileSync(from, to);
  chmodSync(to, mode);
}

function write(path: string, content: string | Buffer, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, content);
  chmodSync(path, mode);
}
