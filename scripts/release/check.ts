// Tests the release files of this machine as their users would: verifies checksums and signature, runs the stories on
// the executable, as user nobody, on a file system where only the data directory is writable; installs, upgrades and
// removes the Debian package; runs the container image; and repeats the build. Runs the arm64 file if qemu is
// installed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, ROOT } from '../../build/step.ts';
import { HOST, TARGETS } from '../../build/targets.ts';
import { runDebianStory } from './debian-story.ts';
import { runImageStory } from './image-story.ts';
import { urlOf } from './listening.ts';
import { archiveName, executableOf, RELEASE } from './make.ts';
import { isSameAgain } from './second-build.ts';
import { CHECKSUMS, isSigned, verifies } from './sign.ts';

const JAIL = join(ROOT, 'scripts/release/jail.sh');

/** Returns whether all tests passed that can run on this machine; prints a warning for the others. */
export async function checkRelease(parts: readonly string[]): Promise<boolean> {
  const directory = mkdtempSync('/tmp/agenthub-release-');
  try {
    spawnSync('chmod', ['755', directory]);
    spawnSync('tar', ['-xzf', join(RELEASE, archiveName(HOST)), '-C', directory]);
    const results = [
      checked('checksums', isDone('sha256sum', ['--check', '--quiet', CHECKSUMS])),
      ...(isSigned() ? [checked('signature', verifies())] : []),
      checked('stories', await runStories(join(directory, 'agenthub'))),
      checked('arm64', await startsOnArm()),
      checked('the same bytes again', isSameAgain(parts)),
      ...(parts.includes('packages') ? [checked('Debian package', await runDebianStory())] : []),
      ...(parts.includes('image') ? [checked('container image', await runImageStory())] : []),
    ];
    return results.every((passed) => passed);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function checked(what: string, passed: boolean): boolean {
  process.stdout.write(`${passed ? '✓' : '✗ FAILED:'} ${what}\n`);
  return passed;
}

function isDone(program: string, args: string[]): boolean {
  return spawnSync(program, args, { cwd: RELEASE, stdio: 'inherit' }).status === 0;
}

async function runStories(executable: string): Promise<boolean> {
  const jail = canIsolate() ? { STORIES_JAIL: JAIL } : {};
  if (!canIsolate())
    warn(
      'the stories run WITHOUT a read-only file system and as the current user: isolation requires root, unshare and setpriv',
    );
  const args = [
    'run',
    '--config',
    'test/vitest.config.ts',
    '--maxWorkers=2',
    '--testTimeout=120000',
    'test/stories',
    '--testNamePattern',
    'on binary',
  ];
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/.bin/vitest'), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, STORIES_EXECUTABLE: executable, ...jail },
  });
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0)));
}

function canIsolate(): boolean {
  return (
    process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'setpriv', '--reuid', '65534', 'true']).status === 0
  );
}

// Debian's packages: qemu-user-static, libc6-arm64-cross, libstdc++6-arm64-cross, libatomic1-arm64-cross.
const QEMU = ['qemu-aarch64-static', '-L', '/usr/aarch64-linux-gnu'] as const;

// qemu is the only way to run it here. A hub that registers a user has loaded the addon and the worker.
async function startsOnArm(): Promise<boolean> {
  const [qemu, ...options] = QEMU;
  const arm = TARGETS.find(({ name }) => name === 'linux-arm64');
  if (arm === undefined || spawnSync(qemu, ['--version']).error !== undefined) {
    warn('linux-arm64 is NOT TESTED: qemu-aarch64-static is not installed');
    return true;
  }
  mkdirSync(DIST, { recursive: true });
  const data = mkdtempSync(join(DIST, 'arm-'));
  const hub = spawn(qemu, [...options, executableOf(arm), 'serve', '--port', '0', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    return await registers(hub);
  } catch (error) {
    warn(String(error));
    return false;
  } finally {
    await ended(hub);
    rmSync(data, { recursive: true, force: true });
  }
}

async function registers(hub: ChildProcess): Promise<boolean> {
  const body = JSON.stringify({ username: 'someone', password: 'a secret' });
  const response = await fetch(`${await urlOf(hub)}/api/auth/register`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
  });
  return response.status === 200;
}

async function ended(hub: ChildProcess): Promise<void> {
  const exit = once(hub, 'close');
  hub.kill();
  await exit;
}

function warn(line: string): void {
  process.stderr.write(`\n!!! ${line}\n\n`);
}
