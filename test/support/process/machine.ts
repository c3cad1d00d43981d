// A machine for the commands of README.md: a shell whose paths and tools are stubs in a temporary directory.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newCli } from './command-line.ts';
import type { Target } from './hub-process.ts';
import { putProgram } from './readme-shell.ts';
import { temporaryDirectory } from './running-hub.ts';

/** A machine in a temporary directory, which replaces the paths of README and the tools that a test must not use. */
export function newMachine(target: Target) {
  const root = temporaryDirectory();
  const cli = newCli(target);
  for (const directory of ['bin', 'tools', 'units', 'here', 'backups']) mkdirSync(join(root, directory));
  for (const tool of ['useradd', 'systemctl'])
    script(join(root, 'tools', tool), `echo "${tool} $*" >> ${root}/actions`);
  script(join(root, 'tools/journalctl'), `cat ${root}/journal`);
  putProgram(target, join(root, 'here/agenthub'));
  const directory = (lines: string): string =>
    lines
      .replaceAll('/usr/local/bin', join(root, 'bin'))
      .replaceAll('/var/lib/agenthub', join(root, 'data'))
      .replaceAll('/mnt/backups', join(root, 'backups'))
      .replaceAll('/srv/other-hub', join(root, 'other'))
      .replaceAll('/etc/systemd/system', join(root, 'units'))
      .replaceAll('/etc/agenthub', join(root, 'etc'))
      .replaceAll(' -o agenthub -g agenthub', '')
      .replaceAll(' -g agenthub', '');
  return {
    root,
    paste: (lines: string) => {
      const env = { ...cli.env, PATH: [join(root, 'bin'), join(root, 'tools'), process.env.PATH].join(':') };
      const { status, stdout, stderr } = spawnSync('bash', ['-ec', directory(lines)], {
        cwd: join(root, 'here'),
        env,
        encoding: 'utf8',
      });
      return { status, stdout, stderr };
    },
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    actions: () => readFileSync(join(root, 'actions'), 'utf8').trimEnd().split('\n'),
  };
}

function script(path: string, line: string): void {
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}
