// Runs this program again in a separate process, for work that must not block the event loop or share the memory of
// this process. A second copy of the database engine in one process would break the locks of the first.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** The internal argument with which a hub starts this program to copy its database. */
export const COPY_DATABASE = 'copy-database';

const SOURCE_FLAGS = ['--experimental-import-text', '--disable-warning=ExperimentalWarning'];

/** Runs with lower priority than this process. Rejects with its standard error if its exit code is not 0. */
export function runOwnProcess(args: readonly string[], { signal }: { signal: AbortSignal }): Promise<void> {
  const first = isSea() ? [] : [...SOURCE_FLAGS, fileURLToPath(new URL('../main.ts', import.meta.url))];
  const child = spawn(process.execPath, [...first, ...args], { stdio: ['ignore', 'ignore', 'pipe'], signal });
  if (child.pid !== undefined) lowerPriority(child.pid);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(stderr.trim().replace(/^agenthub: /, '') || `exited with code ${code}`)),
    );
  });
}

/** Lowers the CPU priority of a process, by default this one. A hardened service may not have permission. */
export function lowerPriority(pid = 0): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process then keeps the priority of the hub.
  }
}
