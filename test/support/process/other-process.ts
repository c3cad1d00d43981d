// A second process on the same database file: it sees only what is on disk, not the memory of this process.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

const READ = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  process.stdout.write(JSON.stringify(database.prepare(process.argv[2]).all()));
`;

/** The rows of a query, read synchronously. */
export function readElsewhere(file: string, sql: string): Record<string, unknown>[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', READ, file, sql], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the other process failed: ${stderr}`);
  return JSON.parse(stdout);
}

export type OtherProcess = ChildProcess & { firstWords: string };

/** Runs a module in a separate process, with flags for Node. Resolves at its first output. */
export async function startElsewhere(
  source: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<OtherProcess> {
  const child = spawn(process.execPath, [...flags, '--input-type=module', '-e', source, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the other process ended')));
  const [firstWords] = await Promise.race([once(child.stdout, 'data'), ended]);
  return Object.assign(child, { firstWords: String(firstWords) });
}

/** Kills it like a power cut, and waits until it is gone. */
export async function killAtOnce(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
