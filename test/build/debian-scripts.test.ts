// dpkg installs, upgrades, removes and purges a package with the maintainer scripts of agenthub, in a directory of the
// test. Stubs take the place of the tools that create users and start services.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../build/step.ts';
import { temporaryDirectory } from '../support/process/running-hub.ts';

const SCRIPTS = join(ROOT, 'scripts/release/debian');
const STARTED = ['systemctl enable agenthub', 'systemctl start agenthub'];
const canRun = spawnSync('dpkg', ['--force-script-chrootless', '--version']).status === 0 && process.getuid?.() === 0;

describe.skipIf(!canRun)('the service of the Debian package', () => {
  test('is enabled and started by an installation, and only restarted by an upgrade', () => {
    const machine = newMachine();
    machine.install('1.0');
    expect(machine.actions()).toEqual(STARTED);
    machine.install('1.1');
    expect(machine.actions()).toEqual(['systemctl try-restart agenthub']);
    machine.install('1.0');
    expect(machine.actions()).toEqual(['systemctl try-restart agenthub']);
  });

  test('is enabled and started by an installation after a removal', () => {
    const machine = newMachine();
    machine.install('1.0');
    machine.dpkg('--remove', 'agenthub');
    expect(machine.actions()).toContain('systemctl disable --now agenthub');
    machine.install('1.0');
    expect(machine.actions()).toEqual(STARTED);
    machine.install('1.1');
    expect(machine.actions()).toEqual(['systemctl try-restart agenthub']);
  });

  test.each([0, 1])('is purged even if deluser exits with %i', (code) => {
    const machine = newMachine({ deluser: code });
    machine.install('1.0');
    const { stderr } = machine.dpkg('--purge', 'agenthub');
    expect(stderr.includes('the user agenthub was not deleted')).toBe(code === 1);
    expect(machine.dpkg('--get-selections').stdout).not.toContain('agenthub');
    expect(existsSync(join(machine.root, 'var/lib/agenthub'))).toBe(false);
  });
});

function newMachine(exits: Readonly<Record<string, number>> = {}) {
  const root = temporaryDirectory();
  const log = join(root, 'actions');
  for (const directory of ['run/systemd/system', 'bin', 'var/lib/dpkg/info', 'var/lib/dpkg/updates'])
    mkdirSync(join(root, directory), { recursive: true });
  writeFileSync(join(root, 'var/lib/dpkg/status'), '');
  for (const tool of ['systemctl', 'adduser', 'deluser', 'getent'])
    script(join(root, 'bin', tool), `echo "${tool} $*" >> ${log}; exit ${exits[tool] ?? 0}`);
  script(join(root, 'bin/install'), 'for last; do :; done; mkdir -p "$last"');
  const dpkg = (...words: string[]) => {
    const options = [`--root=${root}`, '--force-script-chrootless', '--force-depends', '--force-downgrade'];
    const ran = spawnSync('dpkg', [...options, ...words], {
      encoding: 'utf8',
      env: { PATH: `${join(root, 'bin')}:${process.env['PATH']}` },
    });
    expect(ran).toMatchObject({ status: 0 });
    return ran;
  };
  return {
    root,
    dpkg,
    install: (version: string) => {
      rmSync(log, { force: true });
      dpkg('--install', buildPackage(root, version));
    },
    /** How the scripts changed the service since the last installation began. */
    actions: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('systemctl') && !line.endsWith('daemon-reload')),
  };
}

/** The scripts use the directories of the test instead of those of the machine. */
function buildPackage(root: string, version: string): string {
  const parts = join(root, 'parts');
  rmSync(parts, { recursive: true, force: true });
  mkdirSync(join(parts, 'DEBIAN'), { recursive: true });
  const control = `Package: agenthub\nVersion: ${version}\nArchitecture: all\nMaintainer: x <x@invalid>\nDescription: x\n`;
  writeFileSync(join(parts, 'DEBIAN/control'), control);
  for (const name of readdirSync(SCRIPTS)) {
    const text = readFileSync(join(SCRIPTS, name), 'utf8').replace(/^#.*\n/gm, '');
    script(join(parts, 'DEBIAN', name), text.replaceAll(/\/(run|var\/lib|etc)\//g, `${root}/$1/`));
  }
  const file = join(root, `agenthub_${version}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', parts, file]);
  return file;
}

function script(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}
