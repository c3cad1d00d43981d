// Proves the release file of this machine: its checksum, and then the stories, told on a copy of it that lies alone in
// a directory, as nobody, where nothing can be written but the data directory. That of arm64 is run, where qemu is
// found.
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

/** Answers whether everything that could be tried here went well; what could not is said aloud. */
export async function checkRelease(): Promise<boolean> {
  const alone = mkdtempSync('/tmp/agenthub-release-');
  try {
    spawnSync('chmod', ['755', alone]);
    const executable = join(alone, 'agenthub');
    copyFileSync(join(RELEASE, releaseName(HOST)), executable);
    const results = [
      checked('checksums', haveTheirSums()),
      checked('stories', await tellStories(executable)),
      checked('arm64', await startsOnArm()),
    ];
    return results.every((isFine) => isFine);
  } finally {
    rmSync(alone, { recursive: true, force: true });
  }
}

function checked(what: string, isFine: boolean): boolean {
  process.stdout.write(`${isFine ? '✓' : '✗ FAILED:'} ${what}\n`);
  return isFine;
}

function haveTheirSums(): boolean {
  return spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: RELEASE, stdio: 'inherit' }).status === 0;
}

async function tellStories(executable: string): Promise<boolean> {
  const jail = mayJail() ? { STORIES_JAIL: JAIL } : {};
  if (!mayJail())
    complain(
      'the stories are told WITHOUT a read-only file system and as the user you are: that takes root, unshare and setpriv',
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

function mayJail(): boolean {
  return (
    process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'setpriv', '--reuid', '65534', 'true']).status === 0
  );
}

// Debian's packages: qemu-user-static, libc6-arm64-cross, libstdc++6-arm64-cross, libatomic1-arm64-cross.
const QEMU = ['qemu-aarch64-static', '-L', '/usr/aarch64-linux-gnu'] as const;

// Made here, it has no other place to run: a hub that registers a user has loaded addon and worker.
async function startsOnArm(): Promise<boolean> {
  const [qemu, ...options] = QEMU;
  if (spawnSync(qemu, ['--version']).error !== undefined)
    return (complain('linux-arm64 is NOT RUN: there is no qemu-aarch64-static here'), true);
  const data = mkdtempSync(join(DIST, 'arm-'));
  const executable = join(RELEASE, releaseName(HOST).replace(HOST.name, 'linux-arm64'));
  const hub = spawn(qemu, [...options, executable, 'serve', '--port', '0', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(hub, 'close');
  try {
    const body = JSON.stringify({ username: 'someone', password: 'a secret' });
    const answer = await fetch(`${await urlSaidBy(hub.stdout)}/api/auth/register`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
    return answer.status === 200;
  } catch (error) {
    return (complain(String(error)), false);
  } finally {
    hub.kill();
    await ended;
    rmSync(data, { recursive: true, force: true });
  }
}

async function urlSaidBy(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const url = /"url":"([^"]+)","mcp"/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the hub ended before it listened');
}

function complain(line: string): void {
  process.stderr.write(`\n!!! ${line}\n\n`);
}
