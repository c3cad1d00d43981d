// Runs this program once more, as a process of its own: for work that must not hold up the event loop, or must not
// share the memory of this process. A second copy of the database engine in one process would break the locks of the
// first.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** The argument with which a hub starts this program to copy its database. It is no command for people. */
export const COPY_DATABASE = 'copy-database';

const SOURCE_FLAGS = ['--experimental-import-text', '--disable-warning=ExperimentalWarning'];

/** Rejects with what the process said on standard error when it ends with anything but 0. It gives way to this one. */
export function runOwnProcess(args: readonly string[], { signal }: { signal: AbortSignal }): Promise<void> {
  const first = isSea() ? [] : [...SOURCE_FLAGS, fileURLToPath(new URL('../main.ts', import.meta.url))];
  const child = spawn(process.execPath, [...first, ...args], { stdio: ['ignore', 'ignore', 'pipe'], signal });
  if (child.pid !== undefined) giveWay(child.pid);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(said.trim().replace(/^agenthub: /, '') || `it ended with ${code}`)),
    );
  });
}

/** Lets others have the processor first: this process, or another. A hardened service may not be allowed to. */
export function giveWay(pid = 0): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It then has the same share of the processor as the hub.
  }
}
