// Tests the release file of this machine: verifies its checksum, then runs the stories on a copy in an empty directory,
// as user nobody, on a file system where only the data directory is writable. Runs the arm64 file if qemu is installed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { DIST, ROOT } from '../../build/step.ts';
import { HOST } from '../../build/targets.ts';
import { RELEASE, releaseName } from './make.ts';

const JAIL = join(ROOT, 'scripts/release/jail.sh');

/** Returns whether all tests passed that can run on this machine; prints a warning for the others. */
export async function checkRelease(): Promise<boolean> {
  const directory = mkdtempSync('/tmp/agenthub-release-');
  try {
    spawnSync('chmod', ['755', directory]);
    const executable = join(directory, 'agenthub');
    copyFileSync(join(RELEASE, releaseName(HOST)), executable);
    const results = [
      checked('checksums', checksumsMatch()),
      checked('stories', await runStories(executable)),
      checked('arm64', await startsOnArm()),
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

function checksumsMatch(): boolean {
  return spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: RELEASE, stdio: 'inherit' }).status === 0;
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
  if (spawnSync(qemu, ['--version']).error !== undefined) {
    warn('linux-arm64 is NOT TESTED: qemu-aarch64-static is not installed');
    return true;
  }
  const data = mkdtempSync(join(DIST, 'arm-'));
  const executable = join(RELEASE, releaseName(HOST).replace(HOST.name, 'linux-arm64'));
  const hub = spawn(qemu, [...options, executable, 'serve', '--port', '0', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(hub, 'close');
  try {
    const body = JSON.stringify({ username: 'someone', password: 'a secret' });
    const response = await fetch(`${await urlPrintedBy(hub.stdout)}/api/auth/register`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
    return response.status === 200;
  } catch (error) {
    warn(String(error));
    return false;
  } finally {
    hub.kill();
    await ended;
    rmSync(data, { recursive: true, force: true });
  }
}

async function urlPrintedBy(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const url = /"url":"([^"]+)","mcp"/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the hub exited before it listened');
}

function warn(line: string): void {
  process.stderr.write(`\n!!! ${line}\n\n`);
}
