// A shell that runs the code blocks of README.md: `agenthub` is on its PATH, and the README's address points to a test
// hub.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newCli } from './command-line.ts';
import { programOf, type Target } from './hub-process.ts';
import type { RunningHub } from './running-hub.ts';

export type Pasted = { status: number | null; stdout: string; stderr: string };

export type ReadmeShell = { home: string; paste(...blocks: readonly string[]): Pasted };

const HUB = 'http://127.0.0.1:4747';

/** Blocks that are pasted together share a shell, which ends at the first failure. */
export function openShell(target: Target, hub: RunningHub): ReadmeShell {
  const { home, env } = newCli(target);
  mkdirSync(join(home, 'bin'));
  putProgram(target, join(home, 'bin/agenthub'));
  return {
    home,
    paste: (...blocks) => {
      const lines = blocks.join('\n').replaceAll(HUB, hub.url);
      const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-eo', 'pipefail', '-c', lines], {
        cwd: home,
        env: { ...env, PATH: `${home}/bin:${env.PATH}` },
        encoding: 'utf8',
        timeout: 60_000,
      });
      return { status, stdout, stderr };
    },
  };
}

/** From source, the file is a script that starts it. */
export function putProgram(target: Target, path: string): void {
  const [file, first] = programOf(target);
  if (first.length === 0) return symlinkSync(file, path);
  writeFileSync(path, `#!/bin/sh\nexec ${[file, ...first].join(' ')} "$@"\n`);
  chmodSync(path, 0o755);
}
