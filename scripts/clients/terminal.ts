// A terminal for a client that a person would use interactively, in tmux: a screen of text, and keys.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type Terminal = Disposable & {
  screen(): string;
  /** Names of keys as tmux has them, such as Enter. Pauses before each, because a dialog shows before it takes keys. */
  press(...keys: readonly string[]): Promise<void>;
  type(text: string): void;
  /** Waits until the screen shows this. */
  shows(pattern: RegExp): Promise<void>;
};

const SHOWS_MS = 120_000;
const LOOK_MS = 100;
const BEFORE_KEY_MS = 500;
const SIZE = ['-x', '150', '-y', '50'];

let opened = 0;

/** Runs the line in the directory, with exactly this environment. */
export function openTerminal(line: string, directory: string, env: Readonly<Record<string, string>>): Terminal {
  const socket = `agenthub-clients-${process.pid}-${++opened}`;
  const tmux = (...args: string[]): string => {
    const { status, stdout, stderr, error } = spawnSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      env: { ...env, TERM: 'xterm-256color' },
      encoding: 'utf8',
    });
    if (error !== undefined) throw new Error(`tmux is needed to run clients interactively (${error.message})`);
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr.trim()}`);
    return stdout;
  };
  const script = join(directory, '..', `start-${opened}.sh`);
  writeFileSync(script, `${line}\necho "the client ended with $?"\nsleep 600\n`);
  tmux('new-session', '-d', ...SIZE, '-c', directory, `sh ${script}`);
  const screen = (): string => tmux('capture-pane', '-p');
  return {
    screen,
    press: async (...keys) => {
      for (const key of keys) {
        await sleep(BEFORE_KEY_MS);
        tmux('send-keys', key);
      }
    },
    type: (text) => void tmux('send-keys', '-l', text),
    shows: async (pattern) => {
      for (const end = performance.now() + SHOWS_MS; performance.now() < end; await sleep(LOOK_MS))
        if (pattern.test(screen())) return;
      throw new Error(`the client does not show ${pattern}:\n${screen()}`);
    },
    [Symbol.dispose]: () => void tmux('kill-server'),
  };
}
