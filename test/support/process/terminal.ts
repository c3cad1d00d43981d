// Runs the command line on a terminal, as `script` of util-linux provides it.
import { spawn, spawnSync } from 'node:child_process';
import { expect, onTestFinished } from 'vitest';
import type { Cli } from './command-line.ts';
import { programOf } from './hub-process.ts';

export const hasTerminal = spawnSync('script', ['--version']).status === 0;

export type Terminal = {
  screen(): string;
  /** Resolves once the screen contains `words`. */
  shows(words: string): Promise<void>;
  type(text: string): void;
  /** Resolves with the exit code of the command. */
  ended: Promise<number | null>;
};

export function startOnTerminal(
  cli: Cli,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Terminal {
  const [file, first] = programOf(cli.target);
  const command = [file, ...first, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return startLineOnTerminal(command, { env: { ...cli.env, ...env }, cwd: cli.home });
}

/** Runs a line of a shell. */
export function startLineOnTerminal(
  line: string,
  options: { env: Readonly<Record<string, string>>; cwd: string },
): Terminal {
  const child = spawn('script', ['-qec', line, '/dev/null'], options);
  onTestFinished(() => void child.kill('SIGKILL'));
  let screen = '';
  child.stdout.on('data', (bytes: Buffer) => (screen += bytes.toString()));
  child.stdin.on('error', () => {}); // the command may exit before it reads all input
  return {
    screen: () => screen,
    shows: async (words) => {
      await expect.poll(() => screen).toContain(words);
    },
    type: (text) => void child.stdin.write(text),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}
